"""``perdure run``: send one prompt in this directory and stream the answer."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from perdure.agent.settings import ApprovalSettings, Settings
from perdure.cli import output
from perdure.cli.console import Console
from perdure.cli.exit_codes import OK, UNAVAILABLE, USAGE
from perdure.cli.headless import Headless, Request, agent_of
from perdure.cli.help_text import plain
from perdure.cli.privacy import hide_memory
from perdure.cli.run_host import TerminalHost
from perdure.cli.run_view import JsonView, TextView
from perdure.cli.session_list import complete_id
from perdure.cli.settings import load_settings
from perdure.cli.signals import Signals
from perdure.cli.terminal import Terminal, is_terminal
from perdure.errors import PerdureError
from perdure.json_types import JsonObject

_USAGE_CODES = ("invalid_params", "not_found")
_ID = "go on with this session of the directory; the first 8 characters or more are enough"


def run(argv: Sequence[str]) -> int:
    """Return 0 completed, 1 failed, 2 usage, 3 blocked, 4 unavailable, 130 aborted."""
    arguments = _parse(argv)
    hide_memory(os.environ)
    settings = load_settings(os.environ, _options(arguments))
    console = Console(sys.stdout, sys.stderr)
    terminal = None
    if is_terminal() and not arguments.json:
        terminal = Terminal(console.err_text)
    with Signals(last_words=terminal.restore if terminal else lambda: None) as signals:
        try:
            code = asyncio.run(_run(arguments, settings, console, terminal, signals))
        except PerdureError as error:
            console.err(f"perdure run: {error}")
            code = USAGE if error.code in _USAGE_CODES else UNAVAILABLE
        finally:
            console.close()
            if terminal is not None:
                terminal.restore()
    if console.is_cut:
        output.abandon()
    if console.failure is not None and code == OK:
        raise output.OutputFailed(console.failure)
    return code


async def _run(
    arguments: argparse.Namespace,
    settings: Settings,
    console: Console,
    terminal: Terminal | None,
    signals: Signals,
) -> int:
    """Work until the end or the first signal: Ctrl-C aborts, SIGTERM and SIGHUP only suspend."""
    view = JsonView(console) if arguments.json else TextView(console)
    verbose = bool(os.environ.get("PERDURE_DEBUG"))
    host = TerminalHost(console=console, view=view, terminal=terminal, verbose=verbose)
    root = Path.cwd()
    session_id = arguments.session and complete_id(arguments.session, root, settings)
    agent = agent_of(root, settings, host)
    headless = Headless(agent=agent, host=host, console=console, terminal=terminal)
    request = Request(" ".join(arguments.prompt), session_id, arguments.new)
    received = signals.first()
    work = asyncio.create_task(headless.run(request))
    try:
        await asyncio.wait({work, received}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return work.result()
        if received.result() == signal.SIGINT:
            return await headless.interrupt()
        return 128 + received.result()
    finally:
        work.cancel()
        await asyncio.wait({work})
        await agent.close()


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="perdure run", description=plain(__doc__))
    parser.add_argument(
        "prompt", nargs="+", metavar="PROMPT", help="what should be done; - reads standard input"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--session", metavar="ID", help=_ID)
    which.add_argument("--new", action="store_true", help="start a new session")
    parser.add_argument("--model", metavar="NAME", help="the model that answers")
    parser.add_argument(
        "--allow",
        metavar="TOOL",
        action="append",
        default=[],
        choices=tuple(ApprovalSettings.model_fields),
        help="let this tool run without asking: %(choices)s; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print events, one JSON line each")
    arguments = parser.parse_args(argv)
    if arguments.prompt == ["-"]:
        arguments.prompt = [sys.stdin.buffer.read().decode("utf-8", "replace")]
    if not " ".join(arguments.prompt).strip():
        parser.error("the prompt is empty")
    return arguments


def _options(arguments: argparse.Namespace) -> JsonObject:
    """Return the settings that the command line makes."""
    options: JsonObject = {"approval": dict.fromkeys(arguments.allow, "allow")}
    if arguments.model:
        options["model"] = {"name": arguments.model}
    return options
