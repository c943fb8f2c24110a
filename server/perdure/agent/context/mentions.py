"""Mentions of files in a prompt: ``@path``, ``@path:10-20``, ``@"path with spaces"``. Pure.

A mention begins where a word does. Code between fences is not looked into: it is full of
decorators and addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_MENTION = re.compile(r"""(?<![^\s(\[{,;:'"])@(?:"([^"\n]+)"((?::\d+(?:-\d+)?)?)|([^\s"`<>|@]+))""")
_LINES = re.compile(r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_AFTER = ".,;:!?)]}'"
"""What ends a sentence or a bracket rather than a path."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a mention may mean; ``lines`` are the first and the last, counted from 1."""

    path: str
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """``targets`` are tried in their order: the path as it is typed, then without its end."""

    spelled: str
    targets: tuple[Target, ...]

    @property
    def looks_like_a_path(self) -> bool:
        """Whether somebody who typed this meant a file, and no name or decorator."""
        return bool(re.search(r"[/\\]|\.\w|\s|:\d", self.spelled))


def mentions(text: str) -> Iterator[Mention]:
    """Yield the mentions in their order."""
    for line in _outside_of_code(text):
        for match in _MENTION.finditer(line):
            if match[1] is not None:
                yield Mention(match[1] + match[2], tuple(_targets(match[1] + match[2])))
                continue
            spelled = match[3]
            trimmed = spelled.rstrip(_AFTER)
            targets = dict.fromkeys((*_targets(spelled), *_targets(trimmed)))
            yield Mention(trimmed or spelled, tuple(targets))


def _targets(spelled: str) -> Iterator[Target]:
    if not spelled:
        return
    yield Target(spelled)
    match = _LINES.fullmatch(spelled)
    if match is not None:
        first, last = int(match[2]), int(match[3] or match[2])
        if 1 <= first <= last:
            yield Target(match[1], (first, last))


def _outside_of_code(text: str) -> Iterator[str]:
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            if match is not None and match[1].startswith(fence):
                fence = ""
        elif match is not None:
            fence = match[1]
        else:
            yield line
