"""The built-in ``edit``: exact replacements inside of one file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.changing import ChangingTool
from perdure.tools.files import Files, content_if_present
from perdure.tools.images import replace_noted
from perdure.tools.replacements import Edit, replaced
from perdure.tools.text import success, unsaved

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


class EditTool(ChangingTool):
    """Replacements that leave every other byte of the file as it is."""

    __slots__ = ()

    definition = _DEFINITION

    async def show(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``BuiltinTool``."""
        real, files = await self.target(arguments, root)
        before, after = await asyncio.to_thread(_edited, files, real, arguments)
        return Preview(
            path=real,
            before=before.decode("utf-8", "replace"),
            after=after.decode("utf-8", "replace"),
        )

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        count = len(_edits(arguments))
        done = success(f"Successfully replaced {count} block(s) in {arguments['path']}.")
        real, files = await self.target(arguments, context.root)
        _, after = await asyncio.to_thread(_edited, files, real, arguments)
        await replace_noted(files, real, after, success=done.content, context=context)
        return unsaved(done) if files.in_editor else done


def _edited(files: Files, real: Path, arguments: JsonObject) -> tuple[bytes, bytes]:
    path = str(arguments["path"])
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
