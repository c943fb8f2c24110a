"""Searching files where ``rg`` is missing: a program of its own. Standard library only.

It prints what ``rg`` would print. In git's repositories git tells which files there are and what
``.gitignore`` hides; elsewhere every file counts. Links are not followed, and only regular files
are opened.
"""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import translate

_LARGEST = 64 * 1024 * 1024
_BINARY_CHECKED = 8_192
_LONGEST_LINE = 500
_CUT = " [... omitted end of long line]"
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")


@dataclass(frozen=True)
class Request:
    """What is looked for in the present folder; without a ``pattern`` files are listed.

    ``only`` is a regular expression for paths, ``hidden`` has patterns of names in lower case that
    are passed over. ``stdin`` is searched instead of files. ``seconds``: then this process dies.
    """

    seconds: int
    pattern: str | None = None
    ignore_case: bool = False
    context: int = 0
    only: str | None = None
    hidden: tuple[str, ...] = ()
    stdin: bool = False


def main(text: str) -> None:
    """Do what the request, as JSON, says. Exit code 2 and a line on stderr: it is no good."""
    values = json.loads(text)
    request = Request(**{**values, "hidden": tuple(values.get("hidden", ()))})
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.alarm(request.seconds)
    try:
        pattern = _compiled(request)
    except re.error as error:
        print(f"regex parse error: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(2)
    if pattern is None:
        for path in _wanted(request):
            sys.stdout.buffer.write(os.fsencode(path) + b"\0")
        return
    if request.stdin:
        _print_matches(pattern, request.context, None, sys.stdin.buffer.read(_LARGEST))
        return
    for path in _wanted(request):
        _print_matches(pattern, request.context, path, _content(path))


def _compiled(request: Request) -> re.Pattern[str] | None:
    flags = re.MULTILINE | (re.IGNORECASE if request.ignore_case else 0)
    return None if request.pattern is None else re.compile(request.pattern, flags)


def _wanted(request: Request) -> Iterator[str]:
    only = re.compile(".*" if request.only is None else request.only, re.DOTALL)
    hidden = re.compile("|".join(map(translate, request.hidden)) or "(?!)")
    for path in _files():
        name = path.rpartition("/")[2].casefold()
        if only.fullmatch(path) and not hidden.match(name):
            yield path


def _files() -> Iterator[str]:
    """Yield the paths of regular files, as git knows them, else all of them."""
    any_by_git = False
    for path in _known_to_git():
        status = None if "/.git/" in f"/{path.casefold()}/" else _status(path)
        if status is not None and stat.S_ISREG(status.st_mode):
            any_by_git = True
            yield path
        elif status is not None and stat.S_ISDIR(status.st_mode):
            yield from _below(path)  # a repository in this one
    if not any_by_git:
        yield from _below(".")


def _known_to_git() -> Iterator[str]:
    try:
        git = subprocess.run(
            [*_GIT, *_LIST],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
            check=False,
        )
    except OSError:
        return
    yield from (os.fsdecode(path) for path in git.stdout.split(b"\0") if path)


def _below(top: str) -> Iterator[str]:
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            path = entry.path.removeprefix("./")
            if entry.is_dir(follow_symlinks=False):
                if entry.name.casefold() != ".git":
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False) and entry.name.casefold() != ".git":
                yield path


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path.rstrip("/"))
    except OSError:
        return None


def _content(path: str) -> bytes:
    """Return the content of a text file, nothing of what cannot or should not be searched."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        status = os.fstat(descriptor)
        searched = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST
        return os.read(descriptor, status.st_size) if searched else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _print_matches(
    pattern: re.Pattern[str], context: int, path: str | None, content: bytes
) -> None:
    if b"\0" in content[:_BINARY_CHECKED]:
        return
    text = content.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    if pattern.search(text) is None:
        return
    lines = text.split("\n")
    if lines[-1] == "":
        del lines[-1]
    matching = [number for number, line in enumerate(lines) if pattern.search(line)]
    shown = {near for at in matching for near in range(at - context, at + context + 1)}
    hits = frozenset(matching)
    prefix = b"" if path is None else os.fsencode(path) + b"\0"
    for number in sorted(shown):
        if 0 <= number < len(lines):
            line = lines[number]
            line = line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + _CUT
            sign = ":" if number in hits else "-"
            shown_line = f"{number + 1}{sign}{line}\n".encode("utf-8", "surrogateescape")
            sys.stdout.buffer.write(prefix + shown_line)
