"""The built-in ``list``: what is in one folder."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from itertools import islice

from perdure.core.declarations import ToolDefinition
from perdure.json_types import JsonObject
from perdure.tools.arguments import whole_number
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.limits import bounded, rest
from perdure.tools.looking import LookingTool
from perdure.tools.programs import GIT, Output, look
from perdure.tools.real_paths import opened
from perdure.tools.text import success, with_notes

_DEFAULT_LIMIT = 500
_MOST_ENTRIES = 50_000
_MOST_BYTES = 16 * 1024 * 1024
_SHOWN_IGNORED = 10
_SECONDS = 10

_DEFINITION = ToolDefinition(
    name="list",
    description=(
        "List one folder: folders with a slash at the end, files, links with their targets. What "
        ".gitignore hides is only counted. Use glob to find files by name."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Folder to list, default the workspace folder",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 2_000,
                "description": "Entries to list at most, default 500",
            },
        },
        "additionalProperties": False,
    },
)


class ListTool(LookingTool):
    """Looks at one folder and at none below it."""

    definition = _DEFINITION

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        real = self.place(arguments, context)
        with opened(real, os.O_DIRECTORY) as folder:
            entries = await asyncio.to_thread(_entries, folder)
            ignored = await _ignored(folder, list(entries))
        listed = [entries[name] for name in sorted(entries) if name not in ignored]
        limit = whole_number(arguments, "limit", default=_DEFAULT_LIMIT)
        lines = bounded(listed, limit)
        complete = len(entries) < _MOST_ENTRIES
        advice = "Use glob to find files by name."
        notes = rest(len(listed) - len(lines), "entries", complete=complete, advice=advice)
        if ignored:
            notes.append(_ignored_note(sorted(entries[name] for name in ignored)))
        return success(with_notes("\n".join(lines) if lines else "(nothing)", notes))


def _entries(folder: int) -> dict[str, str]:
    """Return what is to be shown of each entry, by its name."""
    with os.scandir(folder) as entries:
        return {entry.name: _shown(entry, folder) for entry in islice(entries, _MOST_ENTRIES)}


def _shown(entry: os.DirEntry[str], folder: int) -> str:
    if entry.is_symlink():
        return f"{entry.name} -> {os.readlink(entry.name, dir_fd=folder)}"
    if entry.is_dir(follow_symlinks=False):
        return f"{entry.name}/"
    return entry.name if entry.is_file(follow_symlinks=False) else f"{entry.name} (no file)"


async def _ignored(folder: int, names: Sequence[str]) -> frozenset[str]:
    """Return the names that git ignores; none where there is no git or no repository."""
    output = Output(_MOST_BYTES)
    with tempfile.TemporaryFile() as asked:
        asked.write(b"".join(os.fsencode(name) + b"\0" for name in names))
        asked.seek(0)
        try:
            await look(
                [*GIT, "check-ignore", "-z", "--stdin"],
                folder=folder,
                seconds=_SECONDS,
                take=output.take,
                stdin=asked.fileno(),
            )
        except FileNotFoundError:
            return frozenset()
    return frozenset(map(os.fsdecode, output.data.split(b"\0")[:-1]))


def _ignored_note(ignored: Sequence[str]) -> str:
    names = ", ".join(ignored[:_SHOWN_IGNORED])
    more = ", …" if len(ignored) > _SHOWN_IGNORED else ""
    return f"[Ignored by git and not listed: {len(ignored)} ({names}{more})]"
