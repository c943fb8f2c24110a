"""The MCP servers of one folder, for tests: ask for their tools, call one, see what is told."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support.loopback import LoopbackServer, Serving, Silent

from perdure.json_types import JsonValue
from perdure.mcp.servers import McpServers
from perdure.mcp.spec import ServerSpec
from perdure.mcp.tool import McpTool
from perdure.tools.base import ToolContext, ToolResult


@dataclass
class Scene:
    """The servers of one folder, and what was told of them."""

    root: Path
    told: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    tools: list[McpTool] = field(default_factory=list)
    environ: dict[str, str] = field(default_factory=lambda: {**os.environ, "TOKEN": "tok-12345678"})

    @property
    def context(self) -> ToolContext:
        """What a tool may know; the tools of servers use none of it."""
        return ToolContext(self.root, self.root, "id", keep_running=False, on_output=print)

    async def connect(self, *specs: ServerSpec) -> list[str]:
        """Ask for the tools of the servers; return their own names."""
        self.tools = await self.mcp.tools(specs)
        return [tool.name for tool in self.tools]

    async def call(self, name: str, /, **arguments: JsonValue) -> ToolResult:
        """Call a tool by the server's own name for it."""
        tool = next(tool for tool in self.tools if tool.name == name)
        return await tool.execute(arguments, self.context)

    def __post_init__(self) -> None:
        self.mcp = McpServers(
            root=self.root, environ=self.environ, tell=self.told.append, log=self.logged.append
        )


@asynccontextmanager
async def scene_at(root: Path) -> AsyncIterator[Scene]:
    """The servers of ``root``, closed at the end."""
    scene = Scene(root)
    try:
        yield scene
    finally:
        await scene.mcp.close()


class Web(Serving):
    """A web server that redirects everything, and records the headers of requests."""

    def __init__(self) -> None:
        self.headers: list[Message] = []
        headers = self.headers

        class Handler(Silent, BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers.append(self.headers)
                self.send_response(307)
                self.send_header("location", "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

        self._http = LoopbackServer(Handler)
        self.url = self._http.origin
