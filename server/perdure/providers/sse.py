"""Server-sent events from bytes, in whatever pieces they arrive.

Lines end with LF, CRLF or CR, and only with these: U+2028 and its like are text. Differs from the
HTML standard in one point: an event that the end of the body leaves unterminated is kept, because
model servers end like that. Invalid UTF-8 becomes U+FFFD. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. ``name`` is empty unless the server gave one; ``data`` is never empty."""

    name: str
    data: str


class SseDecoder:
    """Feed it bytes, take the events that are complete."""

    def __init__(self) -> None:
        self._partial_line: list[bytes] = []
        self._ended_with_cr = False
        self._at_start = True
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events that ``chunk`` completes."""
        if not chunk:
            return []
        if self._ended_with_cr:
            chunk = chunk.removeprefix(b"\n")
        self._ended_with_cr = chunk.endswith(b"\r")
        first, *others = _LINE_END.split(chunk)
        self._partial_line.append(first)
        if not others:
            return []
        lines = [b"".join(self._partial_line), *others[:-1]]
        self._partial_line = [others[-1]]
        return self._take(lines)

    def finish(self) -> list[ServerEvent]:
        """Return the event that the end of the body left unterminated, if there is one."""
        lines = [b"".join(self._partial_line), b""]
        self._partial_line = []
        return self._take(lines)

    def _take(self, lines: list[bytes]) -> list[ServerEvent]:
        if self._at_start:
            self._at_start = False
            lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
        events: list[ServerEvent] = []
        for line in lines:
            if line:
                self._read_field(line)
            else:
                events += self._end_event()
        return events

    def _read_field(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        if field == b"data":
            self._data.append(text)
        elif field == b"event":
            self._name = text

    def _end_event(self) -> list[ServerEvent]:
        event = ServerEvent(self._name, "\n".join(self._data))
        self._name = ""
        self._data = []
        return [event] if event.data else []
