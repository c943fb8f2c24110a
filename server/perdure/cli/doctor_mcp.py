"""Which MCP servers can be used: each one is started, asked for its tools, and ended."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

from perdure.agent.settings import Settings
from perdure.cli.finding import Finding
from perdure.mcp.servers import McpServers
from perdure.mcp.settings import specs


async def mcp_servers(settings: Settings, folder: Path) -> AsyncIterator[Finding]:
    """Yield what is found of each server; nothing where none is configured."""
    servers = McpServers(root=folder, environ=os.environ, tell=_ignore, log=_ignore)
    try:
        await servers.tools(specs(settings.mcp), secret_names=(settings.model.api_key_env,))
    finally:
        await servers.close()
    for state in servers.states:
        if state.state == "failed":
            words = f"{state.name}: {state.message}."
            yield Finding("note", "mcp", words, "its tools are left out; see mcp.servers.")
        else:
            words = f"{state.name}: {state.state}, {state.tools} tools."
            yield Finding("ok", "mcp", f"{words} {state.message}".strip())


def _ignore(text: str) -> None:
    """Say nothing: what matters is in the states."""
