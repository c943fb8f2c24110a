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
from perdure.tools.diagnostics import DiagnosticsTool
from perdure.tools.fetch import FetchTool
from perdure.tools.registry import builtin_tools
from perdure.tools.sandbox import Sandbox
from perdure.tools.supervisors import Supervisors


def chosen_tools(
    settings: Settings, host: Host, skills: Mapping[str, Path], supervisors: Supervisors
) -> Sequence[Tool]:
    """Return the tools; where the workspace is not trusted only those that look at it."""
    limits = settings.tools
    directories = directories_of(settings)
    ask = host.ask_diagnostics
    tools = builtin_tools(
        files_for=files_of(host),
        secret_names=(settings.model.api_key_env,),
        directories=directories,
        skills=skills,
        more=[
            *([DiagnosticsTool(ask, directories=directories)] if ask is not None else []),
            *([FetchTool(limits.fetch_hosts)] if limits.fetch else []),
        ],
        sandbox=sandbox_of(settings),
        supervisors=supervisors,
    ).tools
    if settings.trusted:
        return tools
    return [tool for tool in tools if tool.declaration.definition.name in FREE]


def directories_of(settings: Settings) -> list[Path]:
    """Return the real paths of the folders beyond the workspace that the user allows."""
    return [Path(os.path.realpath(folder)) for folder in settings.tools.directories]


def sandbox_of(settings: Settings) -> Sandbox | None:
    """Return the sandbox that commands run in, None where they run in none."""
    if settings.tools.sandbox == "off":
        return None
    return Sandbox(settings.tools.network, directories_of(settings))
