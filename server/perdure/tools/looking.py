"""What the tools share that look at a place in the workspace, or at all of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perdure.json_types import JsonObject
from perdure.tools.base import ToolContext
from perdure.tools.builtin import BuiltinTool
from perdure.tools.workspace import contained


class LookingTool(BuiltinTool):
    """A tool whose argument ``path`` says where to look; without it, in the whole workspace."""

    __slots__ = ("_directories",)

    def __init__(self, *, directories: Sequence[Path] = ()) -> None:
        """``directories`` are the folders beyond the workspace that the user allows."""
        self._directories = directories

    def place(self, arguments: JsonObject, context: ToolContext) -> Path:
        """Return the real path of where to look. Raises ToolError for one that leads out."""
        return contained(place_named(arguments), root=context.root, directories=self._directories)


def place_named(arguments: JsonObject) -> str:
    """Return where a call looks, as the model named it."""
    return str(arguments.get("path", "."))
