"""Bytes to lines (session-format section 2).

A session is what stands before the last LF; the rest is a torn tail and is not looked at. Lines
end at byte 0x0A and nowhere else: U+2028, U+2029, U+0085 and their like are ordinary text.

The order of the checks is part of the format. What concerns the whole file comes first, then each
line is judged completely before the next one is looked at; that is why ``lines`` is lazy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from perdure.errors import PerdureError

FrameCode: TypeAlias = Literal[
    "MISSING_HEADER", "MALFORMED_JSON", "INVALID_UTF8", "BLANK_LINE", "CRLF_NOT_ALLOWED"
]

_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_CARRIAGE_RETURN = 0x0D
_PART = 1 << 20
"""Bytes that are decoded at once, and those up to the next LF, which is no part of a character."""


class FrameFault(PerdureError):
    """The bytes are not lines of a session; ``line`` counts from 1, ``offset`` is in bytes."""

    def __init__(self, code: FrameCode, *, line: int, offset: int) -> None:
        super().__init__(f"Line {line} at byte {offset}: {code}.")
        self.code: FrameCode = code
        self.line = line
        self.offset = offset


class Line(NamedTuple):
    """One line without its LF; ``offset`` is the position of its first byte."""

    number: int
    offset: int
    content: bytes

    @property
    def length(self) -> int:
        """The number of bytes with the LF."""
        return len(self.content) + 1


def committed_length(data: bytes) -> int:
    """Return the number of bytes up to and including the last LF (rules F1 and F10)."""
    return data.rfind(b"\n") + 1


def lines(data: bytes) -> Iterator[Line]:
    """Yield the committed lines; raises FrameFault when it comes to the one that breaks a rule."""
    committed = data[: committed_length(data)]
    if not committed:
        raise FrameFault("MISSING_HEADER", line=1, offset=0)
    _check_encoding(committed)
    if committed.startswith(b"\n"):
        raise FrameFault("MISSING_HEADER", line=1, offset=0)
    offset = 0
    number = 0
    while offset < len(committed):
        end = committed.index(b"\n", offset)
        number += 1
        content = committed[offset:end]
        if not content or content[-1] == _CARRIAGE_RETURN:
            _check_line(Line(number, offset, content))
        yield Line(number, offset, content)
        offset = end + 1


def next_line(data: bytes, *, number: int, offset: int) -> Line:
    """Return the line that ``data`` is, LF included, if it stood at this place of a file.

    Raises FrameFault, and ValueError when ``data`` is not exactly one line.
    """
    if not data or data.find(b"\n") != len(data) - 1:
        raise ValueError("A line ends with its only LF.")
    _check_encoding(data, number=number, offset=offset)
    line = Line(number, offset, data[:-1])
    _check_line(line)
    return line


def _check_line(line: Line) -> None:
    """Apply F6 and F7."""
    if not line.content:
        raise FrameFault("BLANK_LINE", line=line.number, offset=line.offset)
    if line.content.endswith(b"\r"):
        raise FrameFault("CRLF_NOT_ALLOWED", line=line.number, offset=line.offset)


def _check_encoding(data: bytes, *, number: int = 1, offset: int = 0) -> None:
    """Apply F3 and F4 to whole lines, the first of which has this number and offset.

    Valid UTF-8 holds no encoded surrogate, so F3 needs no pass of its own.
    """
    try:
        _decode(data)
    except UnicodeDecodeError:
        surrogate = _ENCODED_SURROGATE.search(data)
        if surrogate is None:
            raise FrameFault("INVALID_UTF8", line=1, offset=0) from None
        start = surrogate.start()
        raise FrameFault(
            "MALFORMED_JSON",
            line=number + data.count(b"\n", 0, start),
            offset=offset + data.rfind(b"\n", 0, start) + 1,
        ) from None


def _decode(data: bytes) -> None:
    """Raise UnicodeDecodeError unless this is UTF-8; a part at a time, for text takes room."""
    if data.isascii():
        return
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _PART) + 1 or len(data)
        data[start:end].decode()
        start = end
