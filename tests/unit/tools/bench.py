"""A workspace, a session folder and the built-in tools, for tests that call tools."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from perdure.json_types import JsonValue
from perdure.tools.base import Tool, ToolContext, ToolResult
from perdure.tools.registry import Tools, builtin_tools


@dataclass
class Bench:
    """Calls tools in ``root`` for a session whose folder is ``data``.

    Every call has an id that no other test uses: ids mark the processes of commands. ``last_id``
    is the one of the latest call, if there was any.
    """

    root: Path
    data: Path
    tools: Tools = field(default_factory=builtin_tools)
    last_id: str = field(default_factory=lambda: str(uuid.uuid4()))

    def tool(self, name: str) -> Tool:
        """Return a built-in tool."""
        tool = self.tools.get(name)
        assert tool is not None
        return tool

    def context(
        self,
        tool_started_id: str | None = None,
        *,
        keep_running: bool = False,
        on_output: Callable[[str], None] = lambda text: None,
    ) -> ToolContext:
        """Return the context of a new call."""
        self.last_id = tool_started_id or str(uuid.uuid4())
        return ToolContext(
            root=self.root,
            data=self.data,
            tool_started_id=self.last_id,
            keep_running=keep_running,
            on_output=on_output,
        )

    async def run(self, tool_name: str, /, **arguments: JsonValue) -> ToolResult:
        """Validate and execute one call."""
        tool = self.tool(tool_name)
        assert tool.validate(arguments) is None
        return await tool.execute(arguments, self.context())

    def call(self, tool_name: str, /, **arguments: JsonValue) -> ToolResult:
        """Do the same from outside of an event loop."""
        return asyncio.run(self.run(tool_name, **arguments))

    def ok(self, tool_name: str, /, **arguments: JsonValue) -> str:
        """Return the content of a call that succeeds."""
        result = self.call(tool_name, **arguments)
        assert result.type == "success", result.content
        return result.content

    def error(self, tool_name: str, /, **arguments: JsonValue) -> str:
        """Return the content of a call that fails."""
        result = self.call(tool_name, **arguments)
        assert result.type == "error", result.content
        return result.content
