"""Other programs beside ours, as their users start them; the wall clock counts.

``{session}`` in a peer's command is a session file of a thousand facts, to be reduced; ``{model}``
the base URL of the scripted model, with ten calls of ``read`` to be made in ``{workspace}``. A
command with neither is only started.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.bench import Bench, Peer
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import serving, turns
from tests.benchmarks.sessions import sealed_session
from tests.support.lsp_client import server_environment, workspace

_PERDURE = f"{shlex.quote(sys.executable)} -m perdure"
FACTS = 1_000
TURNS = 10
ROUNDS = 3

OURS = {
    "reduce": f"{_PERDURE} session reduce {{session}}",
    "run": f"{_PERDURE} run --new go",
    "start": f"{_PERDURE} --version",
}


def measure(bench: Bench) -> Iterator[Figure]:
    """Run each peer and our own program in turns."""
    for peer in bench.peers:
        kind = _kind(peer.command)
        home = bench.folder(f"peer-{peer.name}")
        ours, theirs = asyncio.run(_compare(home, OURS[kind], peer, kind))
        yield Figure(
            measure="peer",
            what=f"perdure, {kind}",
            value=ours * 1e3,
            unit="ms",
            beside=peer.name,
            beside_value=theirs * 1e3,
            at_most=1,
        )


def _kind(command: str) -> str:
    if "{session}" in command:
        return "reduce"
    return "run" if "{model}" in command else "start"


async def _compare(home: Path, ours: str, peer: Peer, kind: str) -> tuple[float, float]:
    best = [float("inf"), float("inf")]
    session = sealed_session(home / "sessions", FACTS) if kind == "reduce" else home
    for number in range(ROUNDS):
        for place, command in enumerate((ours, peer.command)):
            async with serving(home / f"{number}-{place}", turns(TURNS, tool="read")) as url:
                folder = workspace(home)
                for name in ("file0.txt", "file1.txt"):
                    (folder / name).write_text("a line\n")
                filled = command.format(session=session, workspace=folder, model=url)
                best[place] = min(best[place], await _run(filled, home, folder, url))
    return best[0], best[1]


async def _run(command: str, home: Path, folder: Path, url: str) -> float:
    environ = {
        **server_environment(home),
        "PERDURE_MODEL": "test-model",
        "PERDURE_BASE_URL": url,
    }
    began = time.perf_counter()
    process = await asyncio.create_subprocess_shell(
        command, cwd=folder, env=environ, stdout=asyncio.subprocess.DEVNULL
    )
    if await process.wait() != 0:
        raise SystemExit(f"This failed: {command}")
    return time.perf_counter() - began
