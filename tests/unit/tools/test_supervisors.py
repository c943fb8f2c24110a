"""The process that supervisors are forked from: how long it lives, and what it keeps to itself."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually, is_alive, pid_in
from tests.unit.tools.servers import server

from perdure.tools.job_files import Job, job_files
from perdure.tools.jobs import end
from perdure.tools.registry import builtin_tools
from perdure.tools.supervisors import Supervisors

FORKED_FROM = "grep PPid /proc/$PPID/status | cut -f 2"
Scenario = Callable[[Bench, Supervisors], Coroutine[None, None, None]]


def with_supervisors(bench: Bench, scenario: Scenario) -> None:
    """Run ``scenario`` with commands that share their supervisors."""

    async def run() -> None:
        supervisors = Supervisors()
        bench.tools = builtin_tools(supervisors=supervisors)
        try:
            await scenario(bench, supervisors)
        finally:
            supervisors.close()

    asyncio.run(run())


async def ended(process: int) -> bool:
    """Return whether the process ends soon; the event loop goes on meanwhile."""
    return await asyncio.to_thread(eventually, lambda: not is_alive(process))


async def shown(bench: Bench, command: str) -> str:
    """Return what a command prints."""
    return (await bench.run("bash", command=command)).content.strip()


def test_one_process_serves_many_commands_until_it_is_closed(bench: Bench) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        first = int(await shown(bench, FORKED_FROM))
        assert int(await shown(bench, FORKED_FROM)) == first
        supervisors.close()
        assert not is_alive(first)
        assert int(await shown(bench, FORKED_FROM)) != first

    with_supervisors(bench, scenario)


def test_a_command_starts_though_it_was_killed(bench: Bench) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        process = int(await shown(bench, FORKED_FROM))
        os.kill(process, signal.SIGKILL)
        assert await ended(process)
        assert [await shown(bench, "echo done") for _ in range(3)] == ["done"] * 3

    with_supervisors(bench, scenario)


BIG = {f"BIG{number}": "x" * 50_000 for number in range(20)}
"""An environment that no socket takes at once."""


def test_a_large_environment_reaches_the_command(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in BIG.items():
        monkeypatch.setenv(name, value)
    assert bench.ok("bash", command="echo ${#BIG0} ${#BIG19}") == "50000 50000\n"


def test_a_supervisor_that_dies_while_it_is_told_is_noticed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        process = int(await shown(bench, FORKED_FROM))
        os.kill(process, signal.SIGSTOP)
        for name, value in BIG.items():
            monkeypatch.setenv(name, value)
        telling = asyncio.create_task(bench.run("bash", command="touch started"))
        await asyncio.wait({telling}, timeout=0.1)
        os.kill(process, signal.SIGKILL)
        async with asyncio.timeout(10):
            assert "supervisor ended unexpectedly" in (await telling).content

    with_supervisors(bench, scenario)
    assert not (bench.root / "started").exists()


def test_what_is_left_in_the_background_outlives_it(bench: Bench) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        await shown(bench, "sleep 301 & echo $! > pid")
        supervisors.close()
        assert is_alive(pid_in(bench.root / "pid"))
        await end(bench.data, bench.last_id)
        assert not is_alive(pid_in(bench.root / "pid"))

    with_supervisors(bench, scenario)


def test_a_command_finds_no_key_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-a-key-that-nobody-may-see-1")
    processes = f"/proc/$({FORKED_FROM})/environ /proc/$PPID/environ /proc/$$/environ"
    found = bench.ok("bash", command=f"cat {processes} | tr '\\0' '\\n'")
    assert "PERDURE_JOB" in found
    assert "nobody-may-see" not in found


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
def test_it_ends_with_the_server(bench: Bench) -> None:
    with server(bench, "kill", f"{FORKED_FROM} > pid; exec sleep 301") as process:
        forked_from = pid_in(bench.root / "pid")
        assert is_alive(forked_from)
        process.kill()
    assert eventually(lambda: not is_alive(forked_from))


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
@pytest.mark.parametrize("keep_running", [False, True])
def test_nothing_starts_for_a_server_that_is_gone_already(bench: Bench, keep_running: bool) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        files = job_files(bench.data, bench.last_id)
        job = files.create(Job("touch started", keep_running, timeout_seconds=60))
        ends = supervisors.start(bench.root)
        ends.life_line.sendall(request(files.record, job))
        ends.life_line.close()
        assert await asyncio.to_thread(os.read, ends.reports, 1) == b"."
        os.close(ends.reports)
        outcome = files.load()
        assert outcome is not None
        assert (outcome.state, outcome.process) == ("aborted", None)

    with_supervisors(bench, scenario)
    assert not (bench.root / "started").exists()


def test_a_supervisor_that_is_told_half_runs_nothing(bench: Bench) -> None:
    async def scenario(bench: Bench, supervisors: Supervisors) -> None:
        files = job_files(bench.data, bench.last_id)
        job = files.create(Job("touch started", keep_running=True, timeout_seconds=60))
        ends = supervisors.start(bench.root)
        ends.life_line.sendall(request(files.record, job)[:-1])
        ends.life_line.close()
        assert await asyncio.to_thread(os.read, ends.reports, 1) == b""
        os.close(ends.reports)

    with_supervisors(bench, scenario)
    assert not (bench.root / "started").exists()


def request(record: Path, job: dict[str, object]) -> bytes:
    """Return what the server says on the life line."""
    value = {"record": str(record), "job": job, "shell": ["/bin/sh"], "environment": {}}
    return json.dumps(value).encode() + b"\n"
