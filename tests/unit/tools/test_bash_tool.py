"""``bash``: real commands, what the model is told of them, and what they never get."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import zombies_below

from perdure.tools.registry import builtin_tools


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ("true", "(no output)"),
        ("echo one", "one\n"),
        ("echo err >&2; echo out", "out\nerr\n"),
        ("exit 3", "Command exited with code 3"),
        ("echo out; exit 3", "out\n\nCommand exited with code 3"),
        ("kill -9 $$", "Command exited with code 137"),
        ("yes 2>&1 | head -n 1", "y\n"),
        ("printf 'a\\xffaaaaaaaaaa'", "a\ufffdaaaaaaaaaa"),
    ],
)
def test_results(bench: Bench, command: str, content: str) -> None:
    assert bench.ok("bash", command=command) == content


def test_commands_run_in_the_workspace(bench: Bench) -> None:
    assert bench.ok("bash", command="pwd") == f"{bench.root}\n"


def test_timeout_kills_and_keeps_the_output(bench: Bench) -> None:
    shown = bench.ok("bash", command="echo out; sleep 301; echo never", timeout=0.5)
    assert shown == "out\n\nCommand timed out after 0.5 seconds."


@pytest.mark.parametrize("timeout", [0, -1, "5", True])
def test_timeouts_must_be_positive_numbers(bench: Bench, timeout: int | str) -> None:
    problem = bench.tool("bash").validate({"command": "true", "timeout": timeout})
    assert problem is not None
    assert problem.startswith("timeout must be")


@pytest.mark.hazard("Tools that read stdin get EOF at once")
@pytest.mark.parametrize(
    "command",
    [
        "cat; echo end",
        "python3 -c 'input()' 2>/dev/null; echo end",
        "read line; echo end",
        "git init -q && git commit --allow-empty -F - >log 2>&1; echo end",
        "(cat < /dev/tty) 2>/dev/null; echo end",
    ],
)
def test_readers_of_stdin_get_end_of_file(bench: Bench, command: str) -> None:
    assert bench.ok("bash", command=command, timeout=20) == "end\n"


@pytest.mark.hazard("sleep 300 & echo done")
@pytest.mark.parametrize("prefix", ["", "setsid ", "nohup "])
def test_the_result_waits_for_the_command_and_not_for_its_pipes(bench: Bench, prefix: str) -> None:
    started = time.monotonic()
    assert bench.ok("bash", command=f"{prefix}sleep 300 & echo done") == "done\n"
    assert time.monotonic() - started < 60


@pytest.mark.hazard("no zombie after 20 commands")
def test_no_zombies(bench: Bench) -> None:
    async def twenty() -> list[str]:
        for _ in range(20):
            await bench.run("bash", command="true & true")
        return zombies_below(os.getpid())

    assert asyncio.run(twenty()) == []


@pytest.mark.requirement(130)
def test_the_full_output_is_stored_and_can_be_read(bench: Bench) -> None:
    shown = bench.ok("bash", command="seq 3000; echo end >&2")
    path = shown.rpartition("Full output: ")[2].rstrip("]")
    expected = "".join(f"{n}\n" for n in range(1, 3001)) + "end\n"
    assert "[Showing lines 1002-3001 of 3001." in shown
    with open(path) as file:
        assert file.read() == expected
    assert bench.ok("read", path=path, offset=3001) == "end\n"
    for folder, _, files in os.walk(bench.data):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600


@pytest.mark.requirement(129, 130)
@pytest.mark.hazard("yes | head -c 200M")
def test_a_flood_needs_little_memory_and_is_called_captured(bench: Bench) -> None:
    program = (
        "import resource, sys, pathlib as p\n"
        "from tests.unit.tools.bench import Bench\n"
        "bench = Bench(p.Path(sys.argv[1]), p.Path(sys.argv[2]))\n"
        "bench.ok('bash', command='true')\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "peak = 'grep VmHWM /proc/$PPID/status > supervisor'\n"
        "flood = f'yes | head -c 200M; {peak}; echo survived > mark'\n"
        "content = bench.ok('bash', command=flood)\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(after - before, len(content.encode()))\n"
        "print(content[-400:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(bench.root), str(bench.data)],
        capture_output=True,
        text=True,
        check=True,
    )
    figures, _, content = done.stdout.partition("\n")
    growth_kilobytes, size = map(int, figures.split())
    supervisor_kilobytes = int((bench.root / "supervisor").read_text().split()[1])
    assert growth_kilobytes < 50_000
    assert supervisor_kilobytes < 50_000
    assert size < 51_200 + 500
    assert "Captured output; command exceeded the 10MB safety cap: " in content
    assert "complete output was not captured." in content
    assert "Full output" not in content
    assert (bench.root / "mark").exists()
    (log,) = (bench.data / "tool-output").iterdir()
    assert log.stat().st_size == 10_000_000


def test_output_is_shown_while_the_command_runs(bench: Bench) -> None:
    shown: list[str] = []
    pieces = asyncio.Event()

    def on_output(text: str) -> None:
        shown.append(text)
        pieces.set()

    async def watch() -> None:
        tool = bench.tool("bash")
        arguments = {"command": "echo first; until test -e go; do sleep 0.05; done; echo last"}
        running = asyncio.create_task(
            tool.execute({**arguments}, bench.context(on_output=on_output))
        )
        await asyncio.wait_for(pieces.wait(), 10)
        assert "".join(shown) == "first\n"
        (bench.root / "go").touch()
        assert (await running).content == "first\nlast\n"

    asyncio.run(watch())
    assert "".join(shown) == "first\nlast\n"


@pytest.mark.hazard("the provider key appears in no session, log or trace")
def test_commands_do_not_see_the_keys_of_providers(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-1")
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-secret-2")
    monkeypatch.setenv("MY_GATEWAY", "sk-secret-3")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("GITHUB_TOKEN", "needed by the user's own commands")
    bench.tools = builtin_tools(secret_names=["MY_GATEWAY"])
    shown = bench.ok("bash", command="env")
    assert "sk-secret" not in shown
    assert "PYTHONUNBUFFERED=1\n" in shown
    assert "GITHUB_TOKEN=needed" in shown


def test_a_command_too_long_for_the_system_is_an_answer_not_a_crash(bench: Bench) -> None:
    shown = bench.ok("bash", command="true " + "x" * 3_000_000)
    assert "Argument list too long" in shown
    assert shown.endswith("Command exited with code 127")


def test_a_workspace_that_is_gone_is_an_error(bench: Bench) -> None:
    bench.root.rmdir()
    assert bench.error("bash", command="true").startswith("Error: bash: No such file")


STANDARD_SIGNALS = 2**31 - 1
"""Signals 1 to 31 as a mask; what a C library keeps for its threads above them is its own."""


def test_commands_find_signals_and_descriptors_as_in_a_terminal(bench: Bench) -> None:
    """Also under a server that was started in the background, where some are ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ignored = int(bench.ok("bash", command="grep SigIgn /proc/self/status").split()[1], 16)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ignored & STANDARD_SIGNALS == 0
    assert bench.ok("bash", command="ls /proc/self/fd | wc -l") == "4\n"
