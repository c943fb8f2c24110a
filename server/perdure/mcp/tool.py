"""A tool of an MCP server."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from perdure.core.declarations import ToolDeclaration, ToolDefinition
from perdure.json_types import JsonObject
from perdure.mcp.names import shown_name
from perdure.tools.approval import Policy
from perdure.tools.arguments import violation
from perdure.tools.base import Preview, ToolContext, ToolResult
from perdure.tools.text import one_line


@dataclass(frozen=True, slots=True)
class McpTool:
    """Implements ``Tool``. Never replayed: what a server does is not ours to know (section 24).

    ``call`` sends the call to the server ``server``, where the tool is called ``name``.
    """

    server: str
    name: str
    definition: ToolDefinition
    approval: Policy
    call: Callable[[str, JsonObject], Awaitable[ToolResult]]

    @property
    def declaration(self) -> ToolDeclaration:
        """Definition and replay policy."""
        key = f"tool:{self.definition.name}:v1"
        return ToolDeclaration(self.definition, replay="never", replay_key=key)

    def validate(self, arguments: JsonObject) -> str | None:
        """See ``Tool``."""
        return violation(self.definition.parameters, arguments)

    def title(self, arguments: JsonObject) -> str:
        """See ``Tool``."""
        values = json.dumps(arguments, ensure_ascii=False) if arguments else ""
        return one_line(f"{shown_name(self.server, self.name)} {values}")

    async def preview(self, arguments: JsonObject, root: Path) -> Preview:
        """See ``Tool``. There is none: the arguments are all that is known."""
        return Preview()

    async def execute(self, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """See ``Tool``. Cancelling tells the server."""
        return await self.call(self.name, arguments)
