"""``runningCommands: keep``: the command goes on, and the next server gets its result."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually, is_alive, is_still, pid_in
from tests.unit.tools.servers import server

from perdure.tools.base import ToolResult
from perdure.tools.jobs import attach, end, leave_running, reap, running

WAIT_FOR_GO = "echo $$ > pid; echo start; until test -e go; do sleep 0.02; done; echo end"


def attached(bench: Bench) -> ToolResult | None:
    """Do what the next server does: reap, then attach to the pending call."""

    async def next_server() -> ToolResult | None:
        await reap(bench.data)
        return await attach(bench.data, bench.last_id, lambda text: None)

    return asyncio.run(next_server())


def killed_while_running(bench: Bench, command: str, *, timeout_seconds: float = 120) -> int:
    """Start the command under a server, kill the server, return the command's pid."""
    with server(bench, "keep", command, timeout_seconds=timeout_seconds) as process:
        pid = pid_in(bench.root / "pid")
        process.kill()
    return pid


@pytest.mark.hazard("with runningCommands: keep the next server attaches")
def test_a_running_command_is_waited_for(bench: Bench) -> None:
    pid = killed_while_running(bench, WAIT_FOR_GO + "; exit 3")

    async def next_server() -> ToolResult | None:
        shown: asyncio.Queue[str] = asyncio.Queue()
        await reap(bench.data)
        assert list(running(bench.data)) == [bench.last_id]
        waiting = asyncio.create_task(attach(bench.data, bench.last_id, shown.put_nowait))
        assert await shown.get() == "start\n"
        assert is_alive(pid)
        (bench.root / "go").touch()
        return await waiting

    result = asyncio.run(next_server())
    assert result == ToolResult("success", "start\nend\n\nCommand exited with code 3")


@pytest.mark.hazard("with runningCommands: keep the next server attaches")
def test_a_command_that_ended_meanwhile_has_its_result(bench: Bench) -> None:
    pid = killed_while_running(bench, WAIT_FOR_GO + "; seq 3000; echo err >&2")
    (bench.root / "go").touch()
    assert eventually(lambda: not is_alive(pid))
    assert eventually(lambda: running(bench.data) == {})
    result = attached(bench)
    assert result is not None
    log = bench.data / "tool-output" / f"{bench.last_id}.log"
    assert result.type == "success"
    assert result.content.endswith(f"err\n\n[Showing lines 1004-3003 of 3003. Full output: {log}]")
    assert log.read_text().startswith("start\nend\n1\n")


def test_two_servers_may_die_before_the_third_gets_the_result(bench: Bench) -> None:
    killed_while_running(bench, WAIT_FOR_GO)

    async def second_server() -> None:
        await reap(bench.data)
        waiting = asyncio.create_task(attach(bench.data, bench.last_id, lambda text: None))
        await asyncio.sleep(0.1)
        assert leave_running(bench.data, bench.last_id)
        waiting.cancel()
        await asyncio.wait({waiting})

    asyncio.run(second_server())
    (bench.root / "go").touch()
    assert attached(bench) == ToolResult("success", "start\nend\n")


def test_shutdown_of_a_live_server_is_not_an_abort(bench: Bench) -> None:
    async def first_server() -> None:
        context = bench.context(keep_running=True)
        execution = bench.tool("bash").execute({"command": WAIT_FOR_GO}, context)
        task = asyncio.create_task(execution)
        await asyncio.to_thread(pid_in, bench.root / "pid")
        assert leave_running(bench.data, bench.last_id)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    asyncio.run(first_server())
    (bench.root / "go").touch()
    assert attached(bench) == ToolResult("success", "start\nend\n")


def test_cancelling_an_attachment_is_an_abort(bench: Bench) -> None:
    pid = killed_while_running(bench, "echo $$ > pid; while :; do echo x >> ticks; done")

    async def next_server() -> float:
        waiting = asyncio.create_task(attach(bench.data, bench.last_id, lambda text: None))
        await asyncio.sleep(0.1)
        begin = time.monotonic()
        waiting.cancel()
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        return time.monotonic() - begin

    assert asyncio.run(next_server()) < 2.0
    assert not is_alive(pid)
    assert is_still(bench.root / "ticks")


def test_a_job_can_be_ended_without_attaching(bench: Bench) -> None:
    pid = killed_while_running(bench, WAIT_FOR_GO)
    asyncio.run(end(bench.data, bench.last_id))
    assert not is_alive(pid)
    assert attached(bench) is None


def test_the_timeout_holds_without_a_server(bench: Bench) -> None:
    pid = killed_while_running(bench, WAIT_FOR_GO, timeout_seconds=1.5)
    assert attached(bench) == ToolResult("success", "start\n\nCommand timed out after 1.5 seconds.")
    assert not is_alive(pid)


def test_what_is_left_in_the_background_ends_with_a_kept_command(bench: Bench) -> None:
    command = f"sleep 301 & echo $! > background; {WAIT_FOR_GO}"
    killed_while_running(bench, command)
    background = pid_in(bench.root / "background")
    (bench.root / "go").touch()
    assert eventually(lambda: not is_alive(background))
    assert attached(bench) == ToolResult("success", "start\nend\n")


def test_there_is_nothing_to_attach_to(bench: Bench) -> None:
    assert attached(bench) is None
    assert not leave_running(bench.data, bench.last_id)
    asyncio.run(end(bench.data, bench.last_id))


def test_the_next_command_sweeps_the_files_of_those_before(bench: Bench) -> None:
    async def two_commands() -> None:
        await bench.run("bash", command="true")
        await bench.run("bash", command="true")

    asyncio.run(two_commands())
    names = sorted(path.name for path in (bench.data / "jobs").iterdir())
    assert names == [f"{bench.last_id}{suffix}" for suffix in (".err", ".json", ".out")]
