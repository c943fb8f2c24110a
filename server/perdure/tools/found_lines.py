"""Lines that a search prints, taken in while it goes on."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

MOST_MATCHES = 10_000
"""Where a search ends: what is over it is not even counted."""

_MOST_BYTES = 16 * 1024 * 1024
_DIGITS = b"0123456789"


class Line(NamedTuple):
    """A line of a file, which matches or stands beside one that does; numbers begin with 1."""

    number: int
    is_match: bool
    text: str


class FoundLines:
    """What was found, by path; the lines of a file are in order.

    ``complete`` tells that nothing was left out.
    """

    def __init__(self, only: re.Pattern[str] | None) -> None:
        """``only`` matches the paths that count."""
        self.by_path: dict[str, list[Line]] = {}
        self.matches = 0
        self.complete = True
        self._only = only
        self._size = 0
        self._rest = b""

    def take(self, data: bytes) -> bool:
        """Take output as it comes, ``<path>NUL<number>:<line>LF``; tell whether more is wanted."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._add(line)
        return self.matches < MOST_MATCHES and self._size < _MOST_BYTES

    def _add(self, line: bytes) -> None:
        path, _, numbered = line.rpartition(b"\0")
        sign = len(numbered) - len(numbered.lstrip(_DIGITS))
        if sign == 0:
            return  # what a program says of a binary file
        lines = self._lines_of(os.fsdecode(path).removeprefix("./"))
        if lines is not None:
            is_match = numbered[sign : sign + 1] == b":"
            text = numbered[sign + 1 :].decode("utf-8", "replace").removesuffix("\r")
            lines.append(Line(int(numbered[:sign]), is_match, text))
            self.matches += is_match
            self._size += len(line)

    def _lines_of(self, path: str) -> list[Line] | None:
        if path not in self.by_path:
            if self._only is not None and self._only.fullmatch(path) is None:
                return None
            self.by_path[path] = []
        return self.by_path[path]
