"""The section ``mcp`` of the settings: which servers the user has configured."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Gt
from pydantic import Field

from perdure.mcp.spec import CALL_SECONDS, ServerSpec
from perdure.providers.model_settings import Careful, Section
from perdure.tools.approval import Policy


class McpServerSettings(Section):
    """One server: a command or a url. ``approval`` holds for each of its tools."""

    enabled: Annotated[bool, Careful((False,))] = True
    command: str = ""
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    timeout_seconds: Annotated[float, Gt(0)] = CALL_SECONDS
    approval: Annotated[Policy, Careful(("ask", "deny"))] = "ask"


class McpSettings(Section):
    """The servers by their names. They are the user's own: no repository can name one."""

    servers: dict[str, McpServerSettings] = Field(default_factory=dict)


def specs(settings: McpSettings) -> list[ServerSpec]:
    """Return the servers that are enabled, in the order of their names."""
    return [
        ServerSpec(
            name=name,
            command=server.command,
            args=tuple(server.args),
            env=tuple(server.env.items()),
            cwd=server.cwd,
            url=server.url,
            headers=tuple(server.headers.items()),
            timeout_seconds=server.timeout_seconds,
            approval=server.approval,
        )
        for name, server in sorted(settings.servers.items())
        if server.enabled
    ]
