"""Reading what a prompt mentions: what ``read`` may open, in the way that ``read`` shows it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from perdure.agent.context.mentions import Target
from perdure.agent.transcript.inert import visible_line
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.base import ToolContext
from perdure.tools.files import FilesFor
from perdure.tools.read import ReadTool
from perdure.tools.text import os_failure
from perdure.tools.workspace import contained

MAX_NAMES = 200
"""Names that are told of a folder."""
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
_HIDDEN = frozenset({".git"})


@dataclass(frozen=True, slots=True)
class Found:
    """A file, folder or image. ``path`` is relative to the workspace where it lies in it.

    ``folder`` is where instructions for it may be, None outside of the workspace; an image has
    no ``text``.
    """

    path: str
    kind: Literal["file", "folder", "image"]
    text: str
    folder: str | None


class Reader:
    """Reads for one workspace; ``root`` is canonical.

    ``directories`` gives the real paths of the folders beyond it that the user allows now.
    """

    def __init__(
        self, root: Path, files_for: FilesFor, directories: Callable[[], Sequence[Path]]
    ) -> None:
        self._root = root
        self._files_for = files_for
        self._directories = directories

    async def find(self, target: Target) -> Found | None:
        """Return what is there, None where nothing is.

        Raises ToolError with a sentence for what may not or cannot be read.
        """
        directories = self._directories()
        real = contained(target.path, root=self._root, directories=directories)
        try:
            if await asyncio.to_thread(real.is_dir):
                return await asyncio.to_thread(self._folder, real)
            if not await self._is_there(real):
                return None
            if is_image(real.name):
                return self._found(real, "image", "")
            return self._found(real, "file", await self._page(target, directories))
        except OSError as error:
            raise os_failure(target.path, error) from error

    def relative(self, real: Path) -> str:
        """Return how a path is named: relative to the workspace, else absolute."""
        inside = real.is_relative_to(self._root)
        return real.relative_to(self._root).as_posix() if inside else str(real)

    async def _is_there(self, real: Path) -> bool:
        """Whether there is a file, or a document that was never saved."""
        if await asyncio.to_thread(os.path.lexists, real):
            return True
        return (await self._files_for(real)).in_editor

    async def _page(self, target: Target, directories: Sequence[Path]) -> str:
        arguments: JsonObject = {"path": target.path}
        if target.lines is not None:
            first, last = target.lines
            arguments |= {"offset": first, "limit": last - first + 1}
        tool = ReadTool(self._files_for, directories=directories)
        result = await tool.execute(arguments, self._context())
        if result.type == "error":
            raise ToolError(result.content.removeprefix("Error: "))
        return result.content

    def _folder(self, real: Path) -> Found:
        with os.scandir(real) as entries:
            names = sorted(
                entry.name + ("/" if entry.is_dir() else "")
                for entry in entries
                if entry.name not in _HIDDEN
            )
        shown = [visible_line(name, limit=300) for name in names[:MAX_NAMES]]
        if len(names) > MAX_NAMES:
            shown.append(f"[and {len(names) - MAX_NAMES} more]")
        return self._found(real, "folder", "\n".join(shown) or "(empty folder)")

    def _found(self, real: Path, kind: Literal["file", "folder", "image"], text: str) -> Found:
        path = self.relative(real)
        return Found(path, kind, text, path if kind == "folder" else folder_of(path))

    def _context(self) -> ToolContext:
        return ToolContext(
            root=self._root,
            data=self._root,
            tool_started_id="",
            keep_running=False,
            on_output=lambda _: None,
        )


def is_image(name: str) -> bool:
    """Whether a name is that of an image, which the format of sessions has no place for."""
    return os.path.splitext(name)[1].lower() in _IMAGES


def folder_of(path: str) -> str | None:
    """Return the folder of a path in the workspace; None for one that lies elsewhere."""
    return None if os.path.isabs(path) else os.path.dirname(path)
