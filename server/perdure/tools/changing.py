"""What ``write`` and ``edit`` share: finding the one file that they change."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perdure.json_types import JsonObject
from perdure.tools.builtin import BuiltinTool
from perdure.tools.files import Files, FilesFor
from perdure.tools.workspace import contained


class ChangingTool(BuiltinTool):
    """Changes the file at the argument ``path``."""

    __slots__ = ("_directories", "_files_for")

    def __init__(self, files_for: FilesFor, *, directories: Sequence[Path] = ()) -> None:
        """``directories`` are the folders beyond the workspace that the user allows."""
        self._files_for = files_for
        self._directories = directories

    async def target(self, arguments: JsonObject, root: Path) -> tuple[Path, Files]:
        """Return the real path of the file and the access to it. Raises ToolError."""
        path = str(arguments["path"])
        real = contained(path, root=root, directories=self._directories)
        return real, await self._files_for(real)
