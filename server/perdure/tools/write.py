"""The built-in ``write``: replaces a whole file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.core.text import without_lone_surrogates
from perdure.errors import ToolError
from perdure.json_types import JsonObject
from perdure.tools.arguments import violation
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.files import FilesFor, content_if_present
from perdure.tools.images import replace_noted
from perdure.tools.text import (
    failure,
    one_line,
    os_failure,
    success,
    unsaved,
)
from perdure.tools.workspace import changeable

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


class WriteTool:
    """Complete rewrite of one file; nothing of the old content stays, its mode does."""

    __slots__ = ("_files_for",)

    def __init__(self, files_for: FilesFor) -> None:
        self._files_for = files_for

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        return ToolDeclaration(_DEFINITION, replay="never", replay_key="builtin:write:v1")

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        return violation(_DEFINITION.parameters, arguments)

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``."""
        return one_line(f"write: {arguments.get('path', '')}")

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``Tool``."""
        try:
            real = changeable(str(arguments["path"]), root=root)
            files = await self._files_for(real)
            before = await asyncio.to_thread(content_if_present, files, real)
        except (KeyError, OSError, ToolError):
            return Preview()
        text = None if before is None else before.decode("utf-8", "replace")
        return Preview(path=real, before=text, after=_content(arguments))

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``Tool``."""
        path = str(arguments["path"])
        content = _content(arguments).encode()
        done = success(f"Successfully wrote {len(content)} bytes to {path}.")
        try:
            real = changeable(path, root=context.root)
            files = await self._files_for(real)
            await replace_noted(files, real, content, success=done.content, context=context)
        except OSError as error:
            return failure(os_failure(path, error))
        except ToolError as error:
            return failure(error)
        return unsaved(done) if files.in_editor else done


def _content(arguments: JsonObject) -> str:
    return without_lone_surrogates(str(arguments["content"]))
