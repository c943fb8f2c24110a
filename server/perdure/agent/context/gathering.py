"""Collecting blocks within the bounds of one message. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perdure.agent.transcript.inert import visible_line

MAX_BLOCKS = 50
MAX_BYTES = 256 * 1024
"""Of all context of one message, as UTF-8."""
NO_ROOM = "the context of one message is at most 50 blocks and 256 KiB"
MAX_LOOKED_AT = 200
"""Attachments or mentions of one message that are read; nobody means more."""
MAX_TOLD = 10
_LONGEST_SENTENCE = 500


class Gathering:
    """Takes each block once. ``used`` are blocks that the message has already."""

    def __init__(self, clean: Callable[[str], str], *, used: Sequence[str] = ()) -> None:
        self._clean = clean
        self._left = MAX_BLOCKS - len(used)
        self._room = MAX_BYTES - sum(len(block.encode()) for block in used)
        self._blocks: dict[str, None] = {}
        self._folders: dict[str, None] = {}
        self._problems: dict[str, None] = {}

    @property
    def blocks(self) -> tuple[str, ...]:
        """What was taken, in its order."""
        return tuple(self._blocks)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of what was taken, relative to the workspace."""
        return tuple(self._folders)

    @property
    def problems(self) -> tuple[str, ...]:
        """Sentences for the user, each once, and how many more there are."""
        told, left = [*self._problems][:MAX_TOLD], len(self._problems) - MAX_TOLD
        return (*told, f"There are {left} more such problems.") if left > 0 else tuple(told)

    def take(self, path: str, block: str, *, folder: str | None, problem: str) -> None:
        """Take a block; an empty one is none. ``problem`` ends a sentence about ``path``."""
        if problem:
            self.say(f"{path} is left out: {problem}.")
        clean = self._clean(block)
        if clean and clean not in self._blocks and self.fits(path, clean):
            self._blocks[clean] = None
        if folder is not None:
            self._folders[folder] = None

    def fits(self, path: str, block: str) -> bool:
        """Make room for a block, or say that there is none."""
        size = len(block.encode())
        if self._left < 1 or size > self._room:
            self.say(f"{path} is left out: {NO_ROOM}.")
            return False
        self._left -= 1
        self._room -= size
        return True

    def say(self, sentence: str) -> None:
        """Note what the user must know."""
        self._problems[visible_line(sentence, limit=_LONGEST_SENTENCE)] = None
