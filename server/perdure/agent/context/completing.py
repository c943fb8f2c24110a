"""Completing ``@`` mentions: the names in one folder, never a walk through the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.workspace import contained

MAX_PATHS = 100
_HIDDEN = frozenset({".git"})


def completions(prefix: str, *, root: Path) -> list[str]:
    """Return the paths that begin with ``prefix``, relative to ``root``, folders with ``/``.

    Hidden names are offered once their dot is typed; case counts only where it is typed. Blocks;
    a folder that is missing or leads out of the workspace has no completions.
    """
    folder, _, typed = prefix.rpartition("/")
    before = f"{folder}/" if folder else ""
    try:
        with os.scandir(contained(folder or ".", root=root)) as entries:
            names = [
                entry.name + ("/" if entry.is_dir() else "")
                for entry in entries
                if _matches(entry.name, typed)
            ]
    except (OSError, ToolError):
        return []
    return [f"{before}{name}" for name in sorted(names)[:MAX_PATHS]]


def _matches(name: str, typed: str) -> bool:
    if name in _HIDDEN or not name.isprintable():
        return False
    if name.startswith(".") and not typed.startswith("."):
        return False
    whole = name if typed != typed.lower() else name.lower()
    return whole.startswith(typed)
