"""``perdure session``: look at session files. Looking locks nothing, and a FILE needs no workspace.

Only ``abort`` and ``salvage`` write, the latter a file of its own.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from perdure.cli import session_files
from perdure.cli.help_text import plain
from perdure.core.masking import as_stored, masked

_ID_OR_FILE = "id of a session of the folder, or its first 8 characters or more, or a file"


def run(argv: Sequence[str]) -> int:
    """Carry out one of the subcommands; 0 means that every file is ok."""
    arguments = _parser().parse_args(argv)
    match arguments.command:
        case "reduce":
            return session_files.reduce(arguments.files)
        case "plan":
            return session_files.plan(arguments.files, configuration=arguments.configuration)
        case _:
            return _of_folder(arguments)


def _of_folder(arguments: argparse.Namespace) -> int:
    """Carry out what knows the sessions of a folder; the settings that this needs are heavy."""
    from perdure.cli import session_list
    from perdure.cli.settings import load_settings

    folder: Path = arguments.folder
    settings = load_settings(os.environ)

    def locate(session: str) -> Path:
        return session_list.locate(session, folder, settings)

    match arguments.command:
        case "verify":
            return session_files.verify(arguments.sessions, locate)
        case "export":
            return session_files.export(
                locate(arguments.session), masked if settings.mask_secrets else as_stored
            )
        case "salvage":
            return session_files.salvage(locate(arguments.session))
        case "abort":
            from perdure.cli import session_abort

            return session_abort.abort(locate(arguments.session), folder, settings)
        case "show":
            return session_list.show(locate(arguments.session))
        case _:
            return session_list.print_list(folder, settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="perdure session", description=plain(__doc__))
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list the sessions of a folder, newest first")
    _add_folder(listing)
    show = commands.add_parser("show", help="say what a session is, and what it waits for")
    show.add_argument("session", metavar="ID|FILE", help=_ID_OR_FILE)
    _add_folder(show)
    abort = commands.add_parser("abort", help="end unfinished work durably, without a model")
    abort.add_argument("session", metavar="ID|FILE", help=_ID_OR_FILE)
    _add_folder(abort)
    reduce = commands.add_parser("reduce", help="print the state of each file, one line of JSON")
    _add_files(reduce)
    plan = commands.add_parser("plan", help="print the recovery plan of each file, likewise")
    _add_files(plan)
    plan.add_argument(
        "--configuration",
        type=Path,
        required=True,
        metavar="FILE.json",
        help="what is configured now: configurationDigest, environmentIdentity, tools",
    )
    verify = commands.add_parser("verify", help="name the first bad line and byte of each file")
    verify.add_argument("sessions", nargs="+", metavar="ID|FILE", help=_ID_OR_FILE)
    _add_folder(verify)
    salvage = commands.add_parser(
        "salvage", help="copy the good lines of a damaged file to a new one"
    )
    salvage.add_argument("session", metavar="ID|FILE", help=_ID_OR_FILE)
    _add_folder(salvage)
    export = commands.add_parser("export", help="print the transcript as Markdown")
    export.add_argument("session", metavar="ID|FILE", help=_ID_OR_FILE)
    _add_folder(export)
    return parser


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the workspace folder (default: the current directory)",
    )
