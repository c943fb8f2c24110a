"""Instructions of a project: ``AGENTS.md``, or ``CLAUDE.md`` where there is none.

The root's are part of the system prompt. Those of a folder below it go with the user's message
when something in that folder is mentioned.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.files import DiskFiles, content_if_present
from perdure.tools.workspace import contained

NAMES = ("AGENTS.md", "CLAUDE.md")


@dataclass(frozen=True, slots=True)
class Instructions:
    """``path`` is relative to the workspace."""

    path: str
    text: str


def instructions_in(folder: str, *, root: Path) -> Instructions | None:
    """Return the instructions of a folder, a path relative to ``root``; "" is the root itself.

    What is no regular file, leads out of the workspace or is larger than ``MAX_WHOLE_FILE`` are
    no instructions. ``root`` is canonical.
    """
    for name in NAMES:
        path = f"{folder}/{name}" if folder else name
        if not os.path.lexists(root / path):
            continue
        try:
            content = content_if_present(DiskFiles(), contained(path, root=root))
        except (OSError, ToolError):
            return None
        return None if content is None else Instructions(path, content.decode("utf-8", "replace"))
    return None


def nested_instructions(folders: Iterable[str], *, root: Path) -> Iterator[Instructions]:
    """Yield the instructions that hold in some folders, each once, outer ones first.

    The root's own are left out. ``folders`` are paths relative to ``root``.
    """
    wanted: dict[str, None] = {}
    for folder in folders:
        parts = [part for part in folder.split("/") if part]
        wanted.update({"/".join(parts[: depth + 1]): None for depth in range(len(parts))})
    for folder in wanted:
        instructions = instructions_in(folder, root=root)
        if instructions is not None:
            yield instructions
