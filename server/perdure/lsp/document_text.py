"""Positions in the text of a document, and changes to it, as LSP counts them.

A line ends with LF, CRLF or CR and with nothing else; characters are counted in the units that
were agreed upon. pygls ends lines at form feeds and Unicode separators too, so that its text
goes astray in files that contain them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from lsprotocol import types

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


class Positions:
    """The positions of one text; ``encoding`` is the agreed position encoding."""

    def __init__(self, text: str, encoding: str) -> None:
        self._text = text
        self._codec, self._size = _UNITS[encoding]
        self._starts = [0]
        self._ends: list[int] = []
        for found in _LINE_END.finditer(text):
            self._ends.append(found.start())
            self._starts.append(found.end())
        self._ends.append(len(text))

    def offset(self, position: types.Position) -> int:
        """Return the index into the text; what lies beyond a line or the text is its end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start = self._starts[position.line]
        line = self._text[start : self._ends[position.line]]
        if line.isascii():
            return start + min(position.character, len(line))
        units = line.encode(self._codec)[: position.character * self._size]
        return start + len(units.decode(self._codec, "ignore"))

    def position(self, offset: int) -> types.Position:
        """Return the position of an index into the text."""
        line = bisect_right(self._starts, offset) - 1
        before = self._text[self._starts[line] : offset]
        return types.Position(line, len(before.encode(self._codec)) // self._size)


def changed(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: str
) -> str:
    """Return ``text`` after the changes of one ``textDocument/didChange``, in their order."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            text = change.text
            continue
        positions = Positions(text, encoding)
        start = positions.offset(change.range.start)
        end = max(start, positions.offset(change.range.end))
        text = text[:start] + change.text + text[end:]
    return text
