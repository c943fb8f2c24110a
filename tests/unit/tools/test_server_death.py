"""A server that dies takes its commands along, however it dies."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually, is_alive, is_still, pid_in
from tests.unit.tools.servers import kill_supervisors, server

from perdure.tools.jobs import attach, reap, running

WRITER = "while true; do echo tick >> ticks; sleep 0.01; done"
COMMANDS = {
    "plain": f"echo $$ > pid; {WRITER}",
    "background": f"({WRITER}) & echo $! > pid; sleep 301",
    "own session": f"setsid bash -c 'trap \"\" TERM HUP; echo $$ > pid; {WRITER}' & sleep 301",
}


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize("whole_group", [False, True], ids=["process", "group"])
def test_sigkill_of_the_server_ends_its_command(
    bench: Bench, command: str, whole_group: bool
) -> None:
    with server(bench, "kill", command) as process:
        pid = pid_in(bench.root / "pid")
        assert eventually((bench.root / "ticks").exists)
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    assert eventually(lambda: not is_alive(pid), seconds=1)
    assert is_still(bench.root / "ticks")


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
def test_what_was_left_in_the_background_ends_with_the_server(bench: Bench) -> None:
    command = f"setsid bash -c '{WRITER}' & echo $! > pid; exit 0"
    with server(bench, "kill", command) as process:
        pid = pid_in(bench.root / "pid")
        process.wait()
    assert eventually(lambda: not is_alive(pid), seconds=1)
    assert is_still(bench.root / "ticks")


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
@pytest.mark.parametrize("mode", ["kill", "keep"])
def test_the_next_server_reaps_what_even_the_supervisor_could_not(bench: Bench, mode: str) -> None:
    escaping = f"setsid bash -c 'echo $$ > pid; {WRITER}' & sleep 301"
    with server(bench, "keep" if mode == "keep" else "kill", escaping) as process:
        pid = pid_in(bench.root / "pid")
        process.send_signal(signal.SIGSTOP)
        kill_supervisors(bench)
        process.kill()
    assert is_alive(pid)
    asyncio.run(reap(bench.data))
    assert not is_alive(pid)
    assert is_still(bench.root / "ticks")
    assert list((bench.data / "jobs").iterdir()) == []


@pytest.mark.hazard("Server killed during a tool: no tool child survives")
def test_the_shell_dies_with_its_supervisor_before_anybody_looks(bench: Bench) -> None:
    with server(bench, "keep", COMMANDS["plain"]) as process:
        pid = pid_in(bench.root / "pid")
        process.send_signal(signal.SIGSTOP)
        kill_supervisors(bench)
        assert eventually(lambda: not is_alive(pid), seconds=1)


def test_a_live_server_notices_the_death_of_a_supervisor(bench: Bench) -> None:
    with server(bench, "kill", COMMANDS["own session"]) as process:
        pid = pid_in(bench.root / "pid")
        kill_supervisors(bench)
        assert process.stdout is not None
        shown = process.stdout.read().decode()
    assert shown == (
        "Error: The command's supervisor ended unexpectedly; what the command did is unknown."
    )
    assert not is_alive(pid)


def test_a_pid_that_was_used_again_is_left_alone(bench: Bench) -> None:
    with server(bench, "kill", COMMANDS["plain"]) as process:
        pid = pid_in(bench.root / "pid")
        process.kill()
    assert eventually(lambda: not is_alive(pid))
    record = bench.data / "jobs" / f"{bench.last_id}.json"
    record.write_text(record.read_text().replace(f'"pid": {pid}', f'"pid": {os.getpid()}'))
    asyncio.run(reap(bench.data))
    assert not record.exists()


def test_reaping_leaves_the_commands_of_this_server_alone(bench: Bench) -> None:
    async def scenario() -> None:
        await bench.run("bash", command="sleep 301 & echo $! > pid")
        await reap(bench.data)
        assert is_alive(pid_in(bench.root / "pid"))

    asyncio.run(scenario())


def test_without_keep_nothing_can_be_attached_to(bench: Bench) -> None:
    with server(bench, "kill", "echo done; touch mark; exec sleep 301") as process:
        assert eventually((bench.root / "mark").exists)
        assert list(running(bench.data)) == [bench.last_id]
        process.kill()
    assert asyncio.run(attach(bench.data, bench.last_id, lambda text: None)) is None


def test_a_damaged_job_file_is_no_obstacle(bench: Bench) -> None:
    record = bench.data / "jobs" / f"{bench.last_id}.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"state": "run')
    assert running(bench.data) == {}
    asyncio.run(reap(bench.data))
    assert not record.exists()
