"""``perdure session abort``: end unfinished work durably, without a model."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from perdure.agent.settings import Settings
from perdure.cli.console import Console
from perdure.cli.exit_codes import OK
from perdure.cli.headless import agent_of
from perdure.cli.run_host import TerminalHost
from perdure.cli.run_view import TextView
from perdure.core.state import SessionState
from perdure.errors import SessionNotFound
from perdure.store.follow import inspect
from perdure.store.places import locate_workspace, state_directory
from perdure.store.repair import corruption_error
from perdure.store.verdict import Damaged


def abort(path: Path, folder: Path, settings: Settings) -> int:
    """Do what ``perdure.abort`` does to a session of ``folder``, or to a file of any folder.

    Raises ``PerdureError``, having changed nothing, when it is in use elsewhere, damaged or kept
    outside of the sessions of its folder.
    """
    state = _state(path)
    root = _root(path, (folder.absolute(), Path(state.header.cwd)), settings)
    console = Console(sys.stdout, sys.stderr)
    try:
        outcome = asyncio.run(_abort(state.header.id, root, settings, console))
    finally:
        console.close()
    print(f"{path}: {'nothing is unfinished' if outcome == 'idle' else outcome}")
    return OK


async def _abort(session_id: str, root: Path, settings: Settings, console: Console) -> str:
    host = TerminalHost(console=console, view=TextView(console), terminal=None, verbose=False)
    agent = agent_of(root, settings, host)
    try:
        return (await agent.abort({"sessionId": session_id}))["outcome"]
    finally:
        await agent.close()


def _root(path: Path, candidates: Sequence[Path], settings: Settings) -> Path:
    """Return the folder among whose sessions ``path`` lies. Raises ``StoreError``."""
    places = state_directory(os.environ, sessions_dir=settings.sessions_dir)
    for root in candidates:
        if path.resolve().parent == locate_workspace(root, state=places).sessions.resolve():
            return root
    raise SessionNotFound(f"{path} does not lie among the sessions of its folder.")


def _state(path: Path) -> SessionState:
    data, verdict = inspect(path)
    if isinstance(verdict, Damaged):
        raise corruption_error(path, data, verdict)
    return verdict.ledger.state
