"""What the machine must offer: Python, private directories, locks, a shell. Really tried."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from perdure.cli.finding import Finding
from perdure.json_types import JsonObject
from perdure.store._fs import SystemFiles
from perdure.store.places import locate_workspace
from perdure.tools.base import ToolContext
from perdure.tools.bash import BashTool
from perdure.tools.sandbox import Sandbox

COMMAND: JsonObject = {"command": "echo $BASH_VERSION"}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_ANOTHER_DISK = "set PERDURE_STATE_DIR to a local disk."


def python() -> Finding:
    """Say which Python this is."""
    return Finding("ok", "python", f"{platform.python_version()}, {sys.executable}")


def command() -> Finding:
    """Say where editors find the command."""
    found = shutil.which("perdure")
    if found:
        return Finding("ok", "command", found)
    here = Path(sys.executable).with_name("perdure")
    return Finding(
        "note", "command", "perdure is not on PATH.", f"tell editors the full path: {here}"
    )


def directories(state: Path, folder: Path) -> Iterator[Finding]:
    """Check that sessions can be kept, and that nobody else can read them."""
    place = _existing(state)
    if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
        remedy = f"make {place} a writable directory, or set PERDURE_STATE_DIR to one of yours."
        yield Finding("problem", "directories", f"{state} cannot be written.", remedy)
        return
    made = "" if place == state else ", made with the first session"
    yield Finding("ok", "directories", f"{state}{made}")
    workspace = locate_workspace(folder, state=state)
    for directory in (workspace.directory, workspace.sessions):
        if directory.is_dir() and (mode := stat.S_IMODE(directory.stat().st_mode)) & 0o077:
            words = f"{directory} has mode {mode:04o}: others can look into it."
            yield Finding("note", "directories", words, f"chmod 700 {directory}")


def locks(state: Path) -> Finding:
    """Try where the sessions will be: a second writer must be kept out; a sync must work."""
    place = _existing(state)
    files = SystemFiles()
    try:
        with tempfile.TemporaryDirectory(prefix="perdure-doctor-", dir=place) as directory:
            path = Path(directory) / "lock"
            first = files.create(path)
            second = files.open(path)
            kept_out = files.lock(first) and not files.lock(second)
            started = time.perf_counter()
            os.write(first, b"x")
            files.sync(first)
            milliseconds = (time.perf_counter() - started) * 1000
            files.close(first)
            let_in = files.lock(second)
            files.close(second)
    except OSError as error:
        words = f"{place} does not allow files to be locked and synced ({error.strerror})."
        remedy = "free some space." if error.errno in _NO_ROOM else _ANOTHER_DISK
        return Finding("problem", "locks", words, remedy)
    if not (kept_out and let_in):
        words = f"locks in {place} do not keep a second writer out."
        return Finding("problem", "locks", words, _ANOTHER_DISK)
    return Finding(
        "ok", "locks", f"a second writer is kept out; a sync takes {milliseconds:.1f} ms"
    )


def traces(endpoint: str) -> Iterator[Finding]:
    """Tell where traces go, and what they lack."""
    if endpoint and find_spec("opentelemetry") is None:
        words = f"none are sent to {endpoint}: OpenTelemetry is not installed."
        yield Finding("note", "traces", words, "pip install 'perdure[otel]'")
    elif endpoint:
        yield Finding("ok", "traces", f"are sent to {endpoint}")


async def supervisor(folder: Path, sandbox: Sandbox | None) -> Finding:
    """Run a command as the tool ``bash`` does, in the sandbox where the settings ask for it."""
    with tempfile.TemporaryDirectory(prefix="perdure-doctor-") as directory:
        context = ToolContext(
            root=folder,
            data=Path(directory),
            tool_started_id="doctor",
            keep_running=False,
            on_output=lambda _: None,
        )
        result = await BashTool(frozenset(), sandbox).execute(COMMAND, context)
    if result.type == "error":
        remedy = "install bash, and see that processes can be started."
        if sandbox is not None:
            remedy = "install bubblewrap, or set tools.sandbox to off."
        return Finding("problem", "commands", result.content, remedy)
    version = result.content.strip()
    if not version:
        return Finding("note", "commands", "without bash they run in /bin/sh.", "install bash.")
    where = "under its supervisor" if sandbox is None else "under its supervisor, in the sandbox"
    return Finding("ok", "commands", f"bash {version} runs {where}")


def _existing(path: Path) -> Path:
    """Return the path, or its nearest parent that is there."""
    while not path.exists():
        path = path.parent
    return path
