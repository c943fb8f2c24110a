"""The settings: their names, types and defaults.

Wire names are camelCase, Python names the same words in snake_case.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from annotated_types import Gt, Le
from pydantic import AfterValidator, Field

from perdure.mcp.settings import McpSettings
from perdure.providers.model_settings import Careful, ModelSettings, Section
from perdure.telemetry.settings import TelemetrySettings
from perdure.tools.approval import Policy

CarefulPolicy: TypeAlias = Annotated[Policy, Careful(("ask", "deny"))]


def _absolute(path: str) -> str:
    """Let an absolute path through: a relative one would be another with every process."""
    if not os.path.isabs(path) or "\0" in path:
        raise ValueError("should be an absolute path")
    return path


def _place(path: str) -> str:
    """Let an absolute path through, one that begins in the home directory, and none at all."""
    return _absolute(os.path.expanduser(path)) if path else path


Folder: TypeAlias = Annotated[str, AfterValidator(_absolute)]


@dataclass(frozen=True, slots=True)
class UserOnly:
    """Marks a setting that only the user's own file can make: an editor's may be a project's."""


class ApprovalSettings(Section):
    """What happens before a tool runs, per tool."""

    bash: CarefulPolicy = "ask"
    write: CarefulPolicy = "ask"
    edit: CarefulPolicy = "ask"
    fetch: CarefulPolicy = "ask"


class ToolSettings(Section):
    """What tools may do, and how far beyond the workspace.

    ``directories`` are folders in which the file tools work as in the workspace. ``fetch_hosts``
    are hosts that may be fetched from although they are private. ``network`` is for commands in
    the sandbox.
    """

    directories: Annotated[list[Folder], UserOnly()] = Field(default_factory=list)
    fetch: Annotated[bool, Careful((False,))] = False
    fetch_hosts: Annotated[list[str], UserOnly()] = Field(default_factory=list)
    sandbox: Annotated[Literal["off", "on"], Careful(("on",))] = "off"
    network: Annotated[bool, Careful((False,))] = False


class CompactionSettings(Section):
    """When the context is summarised; ``threshold`` is a share of the context window."""

    auto: bool = True
    threshold: Annotated[float, Gt(0), Le(1)] = 0.8


class Settings(Section):
    """All settings; every field has a default.

    ``trusted`` is False where the user has not said that the workspace may be trusted: there the
    agent only reads, follows nothing that the workspace brings, and goes on by nobody's word but
    the user's.
    """

    model: ModelSettings = ModelSettings()
    resume: Annotated[Literal["auto", "ask", "never"], Careful(("ask", "never"))] = "auto"
    approval: ApprovalSettings = ApprovalSettings()
    compaction: CompactionSettings = CompactionSettings()
    mcp: McpSettings = McpSettings()
    tools: ToolSettings = ToolSettings()
    telemetry: Annotated[TelemetrySettings, UserOnly()] = TelemetrySettings()
    durability: Annotated[Literal["process", "barrier", "full"], Careful(("barrier", "full"))] = (
        "barrier"
    )
    running_commands: Annotated[Literal["kill", "keep"], Careful(("kill",))] = "kill"
    mask_secrets: Annotated[bool, Careful((True,))] = False
    trusted: Annotated[bool, Careful((False,))] = True
    sessions_dir: Annotated[str, AfterValidator(_place)] = ""
