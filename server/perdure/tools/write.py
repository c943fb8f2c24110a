"""The built-in ``write``: replaces a whole file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.core.declarations import ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.changing import ChangingTool
from perdure.tools.files import content_if_present
from perdure.tools.images import replace_noted
from perdure.tools.text import success, unsaved

_DEFINITION = ToolDefinition(
    name="write",
    description=(
        "Create a file, or replace one by a complete rewrite. Creates missing parents. Use edit "
        "for partial changes."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "File to write, relative to the workspace or absolute",
            },
            "content": {"type": "string", "description": "The complete new content"},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
)


class WriteTool(ChangingTool):
    """Complete rewrite of one file; nothing of the old content stays, its mode does."""

    __slots__ = ()

    definition = _DEFINITION

    async def show(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``BuiltinTool``."""
        real, files = await self.target(arguments, root)
        before = await asyncio.to_thread(content_if_present, files, real)
        text = None if before is None else before.decode("utf-8", "replace")
        return Preview(path=real, before=text, after=_content(arguments))

    async def perform(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``BuiltinTool``."""
        content = _content(arguments).encode()
        done = success(f"Successfully wrote {len(content)} bytes to {arguments['path']}.")
        real, files = await self.target(arguments, context.root)
        await replace_noted(files, real, content, success=done.content, context=context)
        return unsaved(done) if files.in_editor else done


def _content(arguments: JsonObject) -> str:
    return without_lone_surrogates(str(arguments["content"]))
