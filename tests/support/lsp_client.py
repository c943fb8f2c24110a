"""Real server processes for tests, in a scratch home of their own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.cli.lsp_client import LspClient

SERVE = (sys.executable, "-m", "perdure", "serve")
TRIVIAL = (sys.executable, "-m", "tests.support.trivial_server")

_REPOSITORY = Path(__file__).parents[2]
_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV")


def server_environment(home: Path) -> dict[str, str]:
    """The environment of a server: no keys, no settings of whoever runs the tests.

    PYTHONUNBUFFERED is set because it made frames of plain pygls interleave, PERDURE_DEBUG because
    strace, too, is a process that looks into ours.
    """
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "PERDURE_STATE_DIR": str(home / "state"),
        "PYTHONUNBUFFERED": "1",
        "PERDURE_DEBUG": "1",
    }


@asynccontextmanager
async def start_server(
    home: Path,
    *,
    command: Sequence[str] = SERVE,
    environ: Mapping[str, str] | None = None,
) -> AsyncIterator[LspClient]:
    """Start a server whose files are under ``home``; it is killed at the end if it still runs.

    Its standard error is ``home/stderr.txt``, for all servers of one test together.
    """
    client = await LspClient.start(
        command,
        cwd=_REPOSITORY,
        env={**server_environment(home), **(environ or {})},
        stderr=home / "stderr.txt",
    )
    try:
        yield client
    finally:
        await client.close()


def workspace(home: Path, name: str = "work") -> Path:
    """Make an empty workspace folder and return its canonical path."""
    folder = home / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()
