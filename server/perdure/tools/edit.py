"""The built-in ``edit``: exact replacements inside of one file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.arguments import violation
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.files import Files, FilesFor, content_if_present
from perdure.tools.images import replace_noted
from perdure.tools.replacements import Edit, replaced
from perdure.tools.text import (
    failure,
    one_line,
    os_failure,
    success,
    unsaved,
)
from perdure.tools.workspace import changeable

_DEFINITION = ToolDefinition(
    name="edit",
    description=(
        "Replace text in a file. Each oldText must occur exactly once in the original file and "
        "edits must have no overlap; all edits are checked before writing. Line endings and a "
        "byte order mark are kept."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "File to edit, relative to the workspace or absolute",
            },
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "oldText": {
                            "type": "string",
                            "minLength": 1,
                            "description": "Exact text that occurs once in the file",
                        },
                        "newText": {"type": "string", "description": "Text to put in its place"},
                    },
                    "required": ["oldText", "newText"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["path", "edits"],
        "additionalProperties": False,
    },
)


class EditTool:
    """Replacements that leave every other byte of the file as it is."""

    __slots__ = ("_files_for",)

    def __init__(self, files_for: FilesFor) -> None:
        self._files_for = files_for

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        return ToolDeclaration(_DEFINITION, replay="never", replay_key="builtin:edit:v1")

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        return violation(_DEFINITION.parameters, arguments)

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``."""
        return one_line(f"edit: {arguments.get('path', '')}")

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``Tool``."""
        try:
            path = str(arguments["path"])
            real = changeable(path, root=root)
            files = await self._files_for(real)
            before, after = await asyncio.to_thread(_edited, files, real, path, arguments)
        except (KeyError, OSError, ToolError):
            return Preview()
        return Preview(
            path=real,
            before=before.decode("utf-8", "replace"),
            after=after.decode("utf-8", "replace"),
        )

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``Tool``."""
        path = str(arguments["path"])
        done = success(f"Successfully replaced {len(_edits(arguments))} block(s) in {path}.")
        try:
            real = changeable(path, root=context.root)
            files = await self._files_for(real)
            _, after = await asyncio.to_thread(_edited, files, real, path, arguments)
            await replace_noted(files, real, after, success=done.content, context=context)
        except OSError as error:
            return failure(os_failure(path, error))
        except ToolError as error:
            return failure(error)
        return unsaved(done) if files.in_editor else done


def _edited(files: Files, real: Path, path: str, arguments: JsonObject) -> tuple[bytes, bytes]:
    before = content_if_present(files, real)
    if before is None:
        raise ToolError(f"{path} does not exist. Use write to create it.")
    return before, replaced(before, _edits(arguments), path)


def _edits(arguments: JsonObject) -> list[Edit]:
    edits = arguments["edits"]
    if not isinstance(edits, list):
        raise ToolError("edits must be an array.")
    return [
        Edit(index, _text(item, "oldText"), _text(item, "newText"))
        for index, item in enumerate(edits)
        if isinstance(item, dict)
    ]


def _text(item: JsonObject, name: str) -> str:
    return without_lone_surrogates(str(item[name]))
