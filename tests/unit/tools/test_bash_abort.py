"""Cancelling a command ends everything that it started, within a second."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually, is_alive, is_still, pid_in

from perdure.tools.jobs import end, running

WRITER = "while true; do echo tick >> ticks; sleep 0.01; done"


async def started(bench: Bench, command: str) -> asyncio.Task[object]:
    """Start a command and return when it has made the file ``ready``."""
    context = bench.context()
    tool = bench.tool("bash")
    task: asyncio.Task[object] = asyncio.create_task(tool.execute({"command": command}, context))
    assert await asyncio.to_thread(eventually, (bench.root / "ready").exists)
    return task


async def abort(task: asyncio.Task[object]) -> float:
    """Cancel and return how many seconds it took."""
    begin = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return time.monotonic() - begin


@pytest.mark.hazard("bash -c 'sleep 301 & sleep 302' then abort")
@pytest.mark.parametrize(
    "command",
    [
        "bash -c 'echo $$ > pid; touch ready; sleep 301 & sleep 302'",
        "sleep 301 & echo $! > pid; touch ready; wait",
        "setsid bash -c 'echo $$ > pid; touch ready; sleep 301' & sleep 302",
        "(setsid sleep 301 & echo $! > pid); touch ready; sleep 302",
        "trap '' TERM; echo $$ > pid; touch ready; while true; do sleep 0.1; done",
        "env -i setsid bash -c 'trap \"\" TERM; echo $$ > pid; touch ready; while :; do :; done'",
    ],
)
def test_nothing_survives_an_abort(bench: Bench, command: str) -> None:
    async def scenario() -> float:
        task = await started(bench, command)
        assert is_alive(pid_in(bench.root / "pid"))
        return await abort(task)

    assert asyncio.run(scenario()) < 2.0
    assert not is_alive(pid_in(bench.root / "pid"))
    assert running(bench.data) == {}


def test_nothing_is_written_after_an_abort(bench: Bench) -> None:
    async def scenario() -> None:
        await abort(await started(bench, f"({WRITER}) & touch ready; {WRITER}"))

    asyncio.run(scenario())
    assert is_still(bench.root / "ticks")


def test_a_command_may_clean_up_when_it_is_aborted(bench: Bench) -> None:
    async def scenario() -> None:
        await abort(
            await started(bench, "trap 'rm lock; exit' TERM; touch lock ready; sleep 301 & wait")
        )

    asyncio.run(scenario())
    assert not (bench.root / "lock").exists()


def test_an_abort_at_once_leaves_nothing(bench: Bench) -> None:
    async def scenario() -> None:
        for wait in (0, 0.005, 0.01, 0.02, 0.03):
            execution = bench.tool("bash").execute({"command": WRITER}, bench.context())
            task: asyncio.Task[object] = asyncio.create_task(execution)
            await asyncio.sleep(wait)
            await abort(task)

    asyncio.run(scenario())
    (bench.root / "ticks").touch()
    assert is_still(bench.root / "ticks")


def test_an_abort_between_fork_and_shell_is_not_lost() -> None:
    """The supervisor, which the process is at first, would only take note of the signal."""
    program = (
        "import os, signal\n"
        "from perdure.tools.command_process import become_command\n"
        "signal.signal(signal.SIGTERM, lambda *_: None)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "words = ['/bin/sh', '-c', 'echo started']\n"
        "become_command(words, {}, [1, 2], supervisor=os.getppid())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGTERM, b"")


def test_a_fork_storm_is_ended(bench: Bench) -> None:
    storm = "f() { (echo tick >> ticks; sleep 0.01; f) & }; for i in {1..20}; do f; done"

    async def scenario() -> float:
        return await abort(await started(bench, f"{storm}; touch ready; sleep 301"))

    assert asyncio.run(scenario()) < 2.0
    assert is_still(bench.root / "ticks")


def test_what_stays_in_the_background_outlives_the_command_until_it_is_ended(
    bench: Bench,
) -> None:
    async def scenario() -> None:
        await bench.run("bash", command="sleep 301 & echo $! > pid")
        first = bench.last_id
        await bench.run("bash", command="true")
        assert is_alive(pid_in(bench.root / "pid"))
        await end(bench.data, first)

    asyncio.run(scenario())
    assert not is_alive(pid_in(bench.root / "pid"))
