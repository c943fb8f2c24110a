"""MCP servers that the user has configured in the client, which gives them with each session."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeAlias

from acp.schema import AcpMcpServer, HttpMcpServer, McpServerStdio, SseMcpServer

from perdure.agent.settings import Settings
from perdure.mcp.settings import McpServerSettings, McpSettings

GivenServer: TypeAlias = HttpMcpServer | SseMcpServer | AcpMcpServer | McpServerStdio

logger = logging.getLogger(__name__)


def with_servers(settings: Settings, given: Sequence[GivenServer]) -> Settings:
    """Return the settings with these servers; one of the same name takes the place of ours."""
    servers = dict(settings.mcp.servers)
    for server in given:
        match server:
            case McpServerStdio():
                environment = {variable.name: variable.value for variable in server.env}
                servers[server.name] = McpServerSettings(
                    command=server.command, args=server.args, env=environment
                )
            case HttpMcpServer():
                headers = {header.name: header.value for header in server.headers}
                servers[server.name] = McpServerSettings(url=server.url, headers=headers)
            case _:
                logger.warning("The MCP server %s is of a kind that is not supported", server.name)
    return settings.model_copy(update={"mcp": McpSettings(servers=servers)})
