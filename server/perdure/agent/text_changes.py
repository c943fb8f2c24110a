"""The changes that make one text out of another, as small as is cheap to find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from io import StringIO

MAX_COMPARED_LINES = 2_000
"""Where more lines than this lie between the first and the last difference, all are replaced."""


@dataclass(frozen=True, slots=True)
class Change:
    """``text`` takes the place of ``start`` to ``end``, which are indices into the old text."""

    start: int
    end: int
    text: str


def changes(old: str, new: str) -> list[Change]:
    """Return changes in ascending order, without overlap; none where the texts are equal."""
    before, after = _lines(old), _lines(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    start = sum(map(len, before[:head]))
    differing = _differing(before[head : len(before) - tail], after[head : len(after) - tail])
    return [_trimmed(start + offset, one, other) for offset, one, other in differing]


def applied(old: str, wanted: Sequence[Change]) -> str:
    """Return the old text with the changes made."""
    for change in reversed(wanted):
        old = old[: change.start] + change.text + old[change.end :]
    return old


def _differing(before: list[str], after: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield where lines differ: the offset, what stands there, and what is to stand there."""
    if before == after:
        return
    if len(before) + len(after) > MAX_COMPARED_LINES:
        yield 0, "".join(before), "".join(after)
        return
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield sum(map(len, before[:a])), "".join(before[a:b]), "".join(after[c:d])


def _trimmed(start: int, one: str, other: str) -> Change:
    """Leave out what is the same at both ends; a CRLF is never cut in two."""
    head = _common(one, other)
    if _cuts(one, head) or _cuts(other, head):
        head -= 1
    tail = _common(one[head:][::-1], other[head:][::-1])
    if _cuts(one, len(one) - tail) or _cuts(other, len(other) - tail):
        tail -= 1
    return Change(start + head, start + len(one) - tail, other[head : len(other) - tail])


def _cuts(text: str, index: int) -> bool:
    return index > 0 and text[index - 1 : index + 1] == "\r\n"


def _lines(text: str) -> list[str]:
    """Return the lines with their LF; other line ends matter only in ``_trimmed``."""
    return list(StringIO(text, newline="\n"))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items at the beginning are the same."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
