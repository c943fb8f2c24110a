"""Entry point of the ``perdure`` command.

Each subcommand is a module of this package with ``run(argv) -> exit code``, imported when it is
asked for: ``perdure session reduce`` must not pay for the language server.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from perdure import __version__
from perdure.cli import output
from perdure.cli.exit_codes import FAILED, INTERRUPTED, OK, USAGE
from perdure.errors import PerdureError

Run = Callable[[Sequence[str]], int]


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: the module that does it, and one line of help."""

    module: str
    summary: str


COMMANDS = {
    "serve": Command("perdure.cli.serve", "speak LSP on standard input and output, for editors"),
    "acp": Command("perdure.cli.acp", "speak the Agent Client Protocol, for Zed and others"),
    "run": Command("perdure.cli.run", "send one prompt in this directory and stream the answer"),
    "session": Command(
        "perdure.cli.session", "list, show, abort, reduce, plan, verify, salvage, export sessions"
    ),
    "models": Command("perdure.cli.models", "list the models that the configured endpoint offers"),
    "demo": Command("perdure.cli.demo", "kill a server in the middle of its work and reopen it"),
    "doctor": Command(
        "perdure.cli.doctor", "check provider, directories and locks; say what to do"
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand; return the exit code, 2 where the command line is wrong."""
    output.open_standard_streams()
    words = sys.argv[1:] if argv is None else argv
    match words:
        case [] | ["-h" | "--help" | "help", *_]:
            print(_help())
            return OK if words else USAGE
        case ["--version", *_]:
            print(f"perdure {__version__}")
            return OK
        case [name, *rest] if name in COMMANDS:
            return _run(COMMANDS[name], rest)
        case _:
            names = ", ".join(COMMANDS)
            print(f"perdure: no command {words[0]!r}; there are {names}.", file=sys.stderr)
            return USAGE


def _run(command: Command, argv: Sequence[str]) -> int:
    try:
        code = cast("Run", import_module(command.module).run)(argv)
        output.flush()
        return code
    except PerdureError as error:
        print(f"perdure: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except FileNotFoundError as error:
        _report_missing(error)
        return FAILED
    except BrokenPipeError:
        output.abandon()
        return FAILED
    except Exception as error:  # noqa: BLE001  a traceback is for developers, not for users
        _report(error)
        return FAILED


def _report_missing(error: FileNotFoundError) -> None:
    """Say that we stand in a directory which was deleted, if that is the reason."""
    try:
        os.getcwd()
    except FileNotFoundError:
        print(
            "perdure: the current directory is not there any more; change to another one.",
            file=sys.stderr,
        )
    else:
        _report(error)


def _report(error: Exception) -> None:
    """Say in one sentence that something broke, and where the traceback is."""
    import tempfile

    from perdure.cli.log import traceback_of

    if os.environ.get("PERDURE_DEBUG"):
        print(traceback_of(error), end="", file=sys.stderr)
        return
    with tempfile.NamedTemporaryFile(
        "w", prefix="perdure-error-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(traceback_of(error))
    print(
        f"perdure: an internal error ({type(error).__name__}) stopped the command; "
        f"the traceback is in {file.name}.",
        file=sys.stderr,
    )


def _help() -> str:
    width = max(map(len, COMMANDS))
    rows = [f"  {name:<{width}}  {command.summary}" for name, command in COMMANDS.items()]
    first = "usage: perdure [--version] [--help] COMMAND ..."
    last = "`perdure COMMAND --help` explains a command."
    return "\n".join((first, "", *rows, "", last))
