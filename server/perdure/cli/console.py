"""Writing to standard output and error without ever making the agent wait for the reader."""

from __future__ import annotations

import queue
import threading
from typing import TextIO

_CONTROL_PICTURES = 0x2400
_REPLACEMENT = 0xFFFD
_BIDIRECTIONAL = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
_VISIBLE = (
    {code: _CONTROL_PICTURES + code for code in range(32) if chr(code) not in "\t\n"}
    | dict.fromkeys(range(0x7F, 0xA0), _REPLACEMENT)
    | dict.fromkeys(_BIDIRECTIONAL, _REPLACEMENT)
)


def printable(text: str) -> str:
    """Make control characters visible: a model must not be able to drive the terminal."""
    return text.translate(_VISIBLE)


class Console:
    """Two streams and one thread that writes to them in the order of the calls.

    A stream that cannot be written to is left alone from then on; the work goes on. ``failure``
    says why standard output is incomplete, unless its reader has just gone.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self.failure: OSError | None = None
        self._gone: set[TextIO] = set()
        self._queue: queue.SimpleQueue[tuple[TextIO, str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_all, daemon=True)
        self._thread.start()

    @property
    def is_cut(self) -> bool:
        """Whether standard output takes nothing any more."""
        return self._out in self._gone

    def out(self, text: str) -> None:
        """Write data to standard output; what goes to a terminal is made printable."""
        self._queue.put((self._out, printable(text) if self._out.isatty() else text))

    def err(self, line: str) -> None:
        """Write one line for people to standard error."""
        self.err_text(line + "\n")

    def err_text(self, text: str) -> None:
        """Write part of a line to standard error."""
        self._queue.put((self._err, printable(text)))

    def close(self) -> None:
        """Return when everything is written."""
        self._queue.put(None)
        self._thread.join()

    def _write_all(self) -> None:
        while (item := self._queue.get()) is not None:
            stream, text = item
            if stream in self._gone:
                continue
            try:
                stream.write(text)
                stream.flush()
            except OSError as error:
                self._gone.add(stream)
                if stream is self._out and not isinstance(error, BrokenPipeError):
                    self.failure = error
