"""Finding files and lines in a folder: by ``rg`` where it is installed, else by our own program.

Both honour ``.gitignore`` inside of git's repositories, pass over git's own data and binary files,
follow no link, and open nothing but regular files.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from perdure.errors import ToolError
from perdure.json_types import JsonValue
from perdure.tools.files import DiskFiles
from perdure.tools.found_lines import FoundLines
from perdure.tools.globs import glob_regex, name_pattern
from perdure.tools.programs import Looked, Output, look, own_program
from perdure.tools.real_paths import opened
from perdure.tools.secret_files import SECRET_NAMES

SECONDS = 30
_MOST_BYTES = 64 * 1024 * 1024
_OWN = "perdure.tools.search_program"
_RG_FILES = ("--no-config", "--hidden", "--no-messages", "--null")
_NO_GIT = "--iglob=!.git"
_NO_SECRETS = f"--iglob=!{{{','.join(('.git', *SECRET_NAMES))}}}"
"""One pattern: rg compares a path with each pattern on its own, which is half of a search."""

_RG_LINES = (
    *("--no-config", "--no-messages", "--color=never", "--line-number", "--no-heading"),
    *("--crlf", "--no-context-separator", "--max-columns=500", "--max-columns-preview"),
)


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """Paths below a folder, in order; ``complete`` tells that nothing was left out."""

    paths: list[str]
    complete: bool


@dataclass(frozen=True, slots=True)
class Query:
    """Lines that match ``pattern``, in files that match ``glob``, with lines of context."""

    pattern: str
    glob: str | None = None
    ignore_case: bool = False
    context: int = 0


async def find_lines(folder: Path, query: Query) -> FoundLines:
    """Search the files below the real path ``folder``.

    Files that may hold credentials are passed over. Raises ToolError and OSError.
    """
    only = None if query.glob is None else glob_regex(query.glob)
    rg = shutil.which("rg")
    if rg is None:
        command = _own_lines(query, only=only, hidden=[*SECRET_NAMES])
    else:
        places = [*_RG_FILES, _NO_SECRETS, *_by_name(query.glob), "--with-filename", "./"]
        command = [rg, *_RG_LINES, *_options(query), *places]
    found = FoundLines(None if only is None else re.compile(only))
    with opened(folder, os.O_DIRECTORY) as descriptor:
        looked = await look(command, folder=descriptor, seconds=SECONDS, take=found.take)
    return _checked(found, looked)


async def find_lines_in(file: Path, query: Query) -> FoundLines:
    """Search the one file at the real path ``file``; its lines are under the path ``""``.

    Raises ToolError, also for what is no regular file, and OSError.
    """
    rg = shutil.which("rg")
    if rg is None:
        command = _own_lines(query, stdin=True)
    else:
        command = [rg, *_RG_LINES, *_options(query), "-"]
    found = FoundLines(None)
    with opened(file.parent, os.O_DIRECTORY) as folder, DiskFiles().open(file) as stdin:
        looked = await look(
            command, folder=folder, seconds=SECONDS, take=found.take, stdin=stdin.fileno()
        )
    return _checked(found, looked)


async def find_files(folder: Path, glob: str) -> FoundFiles:
    """Return the files below the real path ``folder`` that ``glob`` means.

    Raises ToolError and OSError.
    """
    only = glob_regex(glob)
    rg = shutil.which("rg")
    if rg is None:
        command = own_program(_OWN, {"seconds": SECONDS, "only": only})
    else:
        command = [rg, "--files", *_RG_FILES, _NO_GIT, *_by_name(glob)]
    output = Output(_MOST_BYTES)
    with opened(folder, os.O_DIRECTORY) as descriptor:
        looked = await look(command, folder=descriptor, seconds=SECONDS, take=output.take)
    _require_success(looked)
    compared = rg is None or glob.removeprefix("**/") == name_pattern(glob)
    paths = await asyncio.to_thread(_paths, output, None if compared else only)
    return FoundFiles(paths, complete=looked.ending == "ended")


def _paths(output: Output, only: str | None) -> list[str]:
    """Return the paths that were printed, in order; where it is given ``only`` matches them."""
    paths = os.fsdecode(output.data).split("\0")[:-1]
    paths.sort()
    if only is None:
        return paths
    matches = re.compile(only).fullmatch
    return [path for path in paths if matches(path)]


def _own_lines(query: Query, **more: JsonValue) -> list[str]:
    request: dict[str, JsonValue] = {
        "seconds": SECONDS,
        "pattern": query.pattern,
        "ignore_case": query.ignore_case,
        "context": query.context,
    }
    return own_program(_OWN, request | more)


def _options(query: Query) -> list[str]:
    case = "--ignore-case" if query.ignore_case else "--case-sensitive"
    return [case, f"--context={query.context}", f"--regexp={query.pattern}"]


def _by_name(glob: str | None) -> list[str]:
    """Return options that leave out files whose names cannot match.

    The option ``--glob`` is not for this: it brings back what ``.gitignore`` hides.
    """
    name = None if glob is None else name_pattern(glob)
    return [] if name is None else [f"--type-add=wanted:{name}", "--type=wanted"]


def _checked(found: FoundLines, looked: Looked) -> FoundLines:
    if looked.exit_code == 2 and looked.error:
        raise ToolError(f"pattern: {' '.join(looked.error.split())}")
    _require_success(looked)
    found.complete = looked.ending == "ended"
    return found


def _require_success(looked: Looked) -> None:
    """Refuse to take for an answer what a program printed that failed or was killed.

    1 means that nothing was found, 2 that not all could be read; neither comes with words.
    """
    failed = looked.exit_code not in (0, 1, 2) or (looked.exit_code != 0 and looked.error)
    if looked.ending == "ended" and failed:
        words = " ".join(looked.error.split()) or f"exit code {looked.exit_code}"
        raise ToolError(f"The search failed: {words}")
