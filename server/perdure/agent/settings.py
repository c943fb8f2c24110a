"""The settings: their names, types and defaults.

Wire names are camelCase, Python names the same words in snake_case.
"""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Gt, Le
from pydantic import StringConstraints

from perdure.mcp.settings import McpSettings
from perdure.providers.model_settings import ModelSettings, Section
from perdure.tools.approval import Policy


class ApprovalSettings(Section):
    """What happens before a tool runs, per tool."""

    bash: Policy = "ask"
    write: Policy = "ask"
    edit: Policy = "ask"


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
    resume: Literal["auto", "ask", "never"] = "auto"
    approval: ApprovalSettings = ApprovalSettings()
    compaction: CompactionSettings = CompactionSettings()
    mcp: McpSettings = McpSettings()
    durability: Literal["process", "barrier", "full"] = "barrier"
    running_commands: Literal["kill", "keep"] = "kill"
    trusted: bool = True
    sessions_dir: Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")] = ""
