"""The standard error of a server, line by line in our log."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Self, TextIO

MAX_BYTES = 256 * 1024
"""What one server may write to the log while it is connected."""

_CHUNK = 16_384


class LogPipe:
    """A pipe; ``log`` is called with each line that is written to ``writing``.

    It is closed when it is left and nothing holds its far end any more.
    """

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._left = MAX_BYTES
        self._open_line = b""
        self._reading, far_end = os.pipe()
        os.set_blocking(self._reading, False)
        self.writing: TextIO = os.fdopen(far_end, "w")

    def __enter__(self) -> Self:
        asyncio.get_running_loop().add_reader(self._reading, self._read)
        return self

    def __exit__(self, *_: object) -> None:
        self.writing.close()

    def _read(self) -> None:
        chunk = os.read(self._reading, _CHUNK)
        if not chunk:
            asyncio.get_running_loop().remove_reader(self._reading)
            os.close(self._reading)
            self._tell(self._open_line)
            return
        *lines, self._open_line = (self._open_line + chunk).split(b"\n")
        if len(self._open_line) > _CHUNK:
            lines.append(self._open_line)
            self._open_line = b""
        for line in lines:
            self._tell(line)

    def _tell(self, line: bytes) -> None:
        """Log a line, as long as there is room; then say once that there is none."""
        if not line or self._left <= 0:
            return
        self._left -= len(line)
        self._log(line.decode("utf-8", "replace"))
        if self._left <= 0:
            self._log("(it writes too much; nothing more of it is logged)")
