"""Which of the built-in tools the settings give to a model, and how far they reach."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from perdure.agent.buffers import files_of
from perdure.agent.host import Host
from perdure.agent.settings import Settings
from perdure.tools.approval import FREE
from perdure.tools.base import Tool
from perdure.tools.registry import builtin_tools


def chosen_tools(settings: Settings, host: Host, skills: Mapping[str, Path]) -> Sequence[Tool]:
    """Return the tools; where the workspace is not trusted only those that look at it."""
    tools = builtin_tools(
        files_for=files_of(host),
        secret_names=(settings.model.api_key_env,),
        directories=[Path(os.path.realpath(folder)) for folder in settings.tools.directories],
        skills=skills,
    ).tools
    if settings.trusted:
        return tools
    return [tool for tool in tools if tool.declaration.definition.name in FREE]
