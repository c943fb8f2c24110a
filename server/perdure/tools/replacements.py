"""Replacing text inside of bytes: what an edit does not name stays as it is, byte for byte.

The search runs over a view of the file in which every line ending is LF, so that text given
with LF is found in a file with CRLF. A lone CR counts as a line ending only in files that have
no LF at all. Of what was found, only the part that really differs is replaced, with the line
ending of its place: a word changed in a file of mixed endings changes that word and nothing else.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from perdure.errors import ToolError

_LF = b"\n"
_CRLF = b"\r\n"
_CR = b"\r"


@dataclass(frozen=True, slots=True)
class Edit:
    """One replacement; ``index`` is its place in the call's ``edits``."""

    index: int
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class _Match:
    """Where an edit applies, as offsets into the view."""

    edit: Edit
    start: int
    end: int


def replaced(content: bytes, edits: Sequence[Edit], path: str) -> bytes:
    """Return ``content`` with all ``edits`` applied to the original text.

    Raises ToolError with a sentence for the model when one is empty, not found, found twice or
    overlaps another; nothing is applied then.
    """
    view = _View(content)
    matches = [_match(view, edit, path) for edit in edits]
    matches.sort(key=lambda match: match.start)
    for one, other in pairwise(matches):
        if other.start < one.end:
            first, second = sorted((one.edit.index, other.edit.index))
            raise ToolError(f"edits[{first}] and edits[{second}] overlap in {path}.")
    if not view.is_utf8 and not all(edit.new.isascii() for edit in edits):
        raise ToolError(f"{path} is not UTF-8; only ASCII text can be put into it.")
    for match in reversed(matches):
        content = _apply(content, view, match)
    return content


def _match(view: _View, edit: Edit, path: str) -> _Match:
    name = f"edits[{edit.index}].oldText"
    old = view.text_in_view(edit.old)
    if not old:
        raise ToolError(f"{name} must not be empty")
    start = view.text.find(old)
    if start < 0:
        raise ToolError(f"{name} was not found in {path}.")
    if view.text.find(old, start + 1) >= 0:
        raise ToolError(f"{name} occurs more than once in {path}; add more context.")
    return _Match(edit, start, start + len(old))


def _apply(content: bytes, view: _View, match: _Match) -> bytes:
    """Replace the middle that differs. ``content`` is original up to the end of the match."""
    old = view.text[match.start : match.end]
    new = view.text_in_view(match.edit.new)
    prefix = _common_prefix(old, new)
    suffix = _common_prefix(old[prefix:][::-1], new[prefix:][::-1])
    start = view.offset(match.start + prefix)
    end = view.offset(match.end - suffix)
    middle = new[prefix : len(new) - suffix]
    if _LF in middle:
        middle = middle.replace(_LF, view.ending_at(start, end))
    return content[:start] + middle + content[end:]


def _common_prefix(left: bytes, right: bytes) -> int:
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


class _View:
    """A file's bytes with LF as its only line ending."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._only_cr = _LF not in content
        self._crlf_ends: list[int] = []
        if self._only_cr:
            self.text = content.replace(_CR, _LF)
        else:
            self.text = content.replace(_CRLF, _LF)
            self._crlf_ends = _view_offsets_of_crlf(content)

    @property
    def is_utf8(self) -> bool:
        try:
            self._content.decode()
        except UnicodeDecodeError:
            return False
        return True

    def text_in_view(self, text: str) -> bytes:
        """Return text of an edit the way it would stand in the view."""
        encoded = text.encode().replace(_CRLF, _LF)
        return encoded.replace(_CR, _LF) if self._only_cr else encoded

    def offset(self, position: int) -> int:
        """Return where a position of the view is in the file."""
        return position + bisect_left(self._crlf_ends, position)

    def ending_at(self, start: int, end: int) -> bytes:
        """Return the line ending of a place in the file: its own, else the nearest one."""
        if self._only_cr and _CR in self._content:
            return _CR
        line_feed = self._content.find(_LF, start, end)
        if line_feed < 0:
            line_feed = self._content.find(_LF, end)
        if line_feed < 0:
            line_feed = self._content.rfind(_LF, 0, start)
        is_crlf = line_feed > 0 and self._content[line_feed - 1 : line_feed] == _CR
        return _CRLF if is_crlf else _LF


def _view_offsets_of_crlf(content: bytes) -> list[int]:
    """Return, ascending, where in the view the line endings stand that were CRLF."""
    offsets: list[int] = []
    found = content.find(_CRLF)
    while found >= 0:
        offsets.append(found - len(offsets))
        found = content.find(_CRLF, found + 2)
    return offsets
