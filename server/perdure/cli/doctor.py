"""``perdure doctor``: what works here, and what to do about what does not."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from perdure.agent.chosen_tools import sandbox_of
from perdure.cli import doctor_machine, doctor_mcp, doctor_provider, doctor_sessions
from perdure.cli.exit_codes import FAILED, OK
from perdure.cli.finding import Finding
from perdure.cli.help_text import plain
from perdure.cli.settings import load_settings
from perdure.store.places import state_directory


def run(argv: Sequence[str]) -> int:
    """Print the findings; 1 when one of them prevents work."""
    argparse.ArgumentParser(prog="perdure doctor", description=plain(__doc__)).parse_args(argv)
    return asyncio.run(_report())


async def _report() -> int:
    code = OK
    async for finding in _findings():
        print(f"{finding.level:<8} {finding.subject:<12} {finding.words}")
        if finding.remedy:
            print(f"{'':<21} {finding.remedy}")
        if finding.level == "problem":
            code = FAILED
    return code


async def _findings() -> AsyncIterator[Finding]:
    settings = load_settings(os.environ)
    yield doctor_machine.python()
    yield doctor_machine.command()
    yield await doctor_provider.provider(settings, os.environ)
    yield doctor_provider.keys(os.environ)
    async for finding in doctor_mcp.mcp_servers(settings, Path.cwd()):
        yield finding
    for finding in doctor_machine.traces(settings.telemetry.endpoint):
        yield finding
    state = state_directory(os.environ, sessions_dir=settings.sessions_dir)
    for finding in doctor_machine.directories(state, Path.cwd()):
        yield finding
    yield doctor_machine.locks(state)
    for finding in doctor_sessions.sessions(state, Path.cwd()):
        yield finding
    yield await doctor_machine.supervisor(Path.cwd(), sandbox_of(settings))
    yield Finding(
        "note",
        "editors",
        "VS Code and Neovim have clients, in editor-clients/ of the repository;"
        " any other LSP client starts `perdure serve`.",
    )
