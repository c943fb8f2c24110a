"""B5: from the start of the server to its answer to ``initialize``, and to the first status.

Both the wall clock and the CPU time of the server: on a busy machine only the second means much.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from asyncio.subprocess import Process
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.sessions import realistic_bytes
from tests.support.lsp_client import SERVE, server_environment, workspace
from tests.unit.store.sessions import FILE_NAME

from perdure.json_types import JsonObject
from perdure.store.places import locate_workspace

BARE = (sys.executable, "-m", "tests.benchmarks.bare_server")
SETTINGS: JsonObject = {"model": {"provider": "demo"}, "resume": "never"}
BUFFERED = {"PYTHONUNBUFFERED": ""}
"""Without buffers the frames of plain pygls interleave."""

REPOSITORY = Path(__file__).parents[2]
ROUNDS = 10


@dataclass(frozen=True)
class Start:
    """Seconds from the start: by the clock, and of the server's CPU."""

    answered: float
    ready: float
    answered_cpu: float
    ready_cpu: float


def measure(bench: Bench) -> Iterator[Figure]:
    """Start each in turns; the least times count."""
    empty, full = bench.folder("start-empty"), bench.folder("start-full")
    facts = bench.scaled(10_000)
    fill(full, facts)
    starts: dict[str, list[Start]] = {"bare": [], "empty": [], "full": []}
    for _ in range(bench.scaled(ROUNDS) + 1):
        starts["bare"].append(asyncio.run(_start(empty, BARE)))
        starts["empty"].append(asyncio.run(_start(empty, SERVE)))
        starts["full"].append(asyncio.run(_start(full, SERVE)))
    bare, ours, long = (_least(starts[name]) for name in ("bare", "empty", "full"))
    yield _figure("start to initialize", ours.answered, bare.answered, goal=0.9)
    yield _figure("start to initialize, CPU", ours.answered_cpu, bare.answered_cpu, goal=0.9)
    yield _figure("start to status, CPU", ours.ready_cpu, bare.answered_cpu)
    yield _figure(f"start to status, {facts} facts, CPU", long.ready_cpu, bare.answered_cpu)


def fill(home: Path, facts: int) -> Path:
    """Put a long session into the workspace of a home; return its file."""
    state = home / "state"
    folder = locate_workspace(workspace(home), state=state)
    folder.sessions.mkdir(parents=True, mode=0o700)
    data = realistic_bytes(facts).replace(b'"fixture"', f'"{folder.root}"'.encode(), 1)
    path = folder.sessions / FILE_NAME
    path.write_bytes(data)
    return path


def _figure(what: str, seconds: float, bare: float, *, goal: float | None = None) -> Figure:
    return Figure(
        measure="B5",
        what=what,
        value=seconds * 1e3,
        unit="ms",
        beside="a bare pygls server",
        beside_value=bare * 1e3,
        at_most=goal,
    )


def _least(starts: Sequence[Start]) -> Start:
    return Start(*map(min, zip(*map(astuple, starts), strict=True)))


async def _start(home: Path, command: Sequence[str]) -> Start:
    """Speak the protocol by hand: pygls' own headers are more than our client reads."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *command,
        env=server_environment(home) | BUFFERED,
        cwd=REPOSITORY,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            await _ask(process, 1, "initialize", _initialize_params(workspace(home)))
            answered, answered_cpu = time.perf_counter() - began, _cpu(process.pid)
            if command == SERVE:
                _send(process, {"method": "initialized", "params": {}})
                status: JsonObject = {"command": "perdure.status", "arguments": [{}]}
                await _ask(process, 2, "workspace/executeCommand", status)
            return Start(answered, time.perf_counter() - began, answered_cpu, _cpu(process.pid))
    finally:
        process.kill()
        await process.wait()


def _initialize_params(folder: Path) -> JsonObject:
    return {
        "processId": None,
        "rootUri": None,
        "capabilities": {},
        "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name}],
        "initializationOptions": SETTINGS,
    }


async def _ask(process: Process, number: int, method: str, params: JsonObject) -> None:
    """Send a request and wait for its answer."""
    _send(process, {"id": number, "method": method, "params": params})
    if process.stdout is None:
        raise AssertionError("the server has no output")
    answer: JsonObject = {}
    while answer.get("id") != number or "method" in answer:
        length = 0
        while (line := await process.stdout.readline()).strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        answer = json.loads(await process.stdout.readexactly(length))


def _send(process: Process, message: JsonObject) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    if process.stdin is None:
        raise AssertionError("the server has no input")
    process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def _cpu(pid: int) -> float:
    """Return the CPU seconds of all threads of a process so far."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
