"""``perdure run`` without a terminal: output, exit codes, unfinished work, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.cli import COMMAND, Cli, new_cli

from perdure.agent.session_facts import session_facts
from perdure.core.records import Record

pytestmark = pytest.mark.process

TOOL = (
    'text: I look.\ncall: bash {"command": "echo seen; echo x >> marker"}\n---\ntext: That is all.'
)
SLOW_TOOL = 'call: bash {"command": "echo x >> marker; sleep 60"}\n---\ntext: Never mind.'
SLOW_ANSWER = "sleep: 60000\ntext: too late"


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = new_cli(tmp_path)
    cli.configure('[model]\nprovider = "demo"')
    return cli


def records(cli: Cli) -> list[Record]:
    """Return the records of the newest session, none before there is one."""
    if not cli.sessions:
        return []
    facts = session_facts(cli.sessions[-1].read_bytes())
    return [fact["record"] for fact in facts if fact["kind"] == "record"]


def outcomes(cli: Cli) -> list[str]:
    """Return how the operations of the newest session ended."""
    return [record["outcome"] for record in records(cli) if record["type"] == "operationFinished"]


def effects(cli: Cli) -> int:
    """Return how often the tool had its effect."""
    marker = cli.folder / "marker"
    return marker.read_text(encoding="utf-8").count("x") if marker.exists() else 0


def is_asking(cli: Cli) -> bool:
    """Tell whether the log ends with an open request."""
    return [record["type"] for record in records(cli)][-1:] == ["stepAttempt"]


@contextmanager
def started(cli: Cli, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run, and kill it in the end."""
    with subprocess.Popen(
        [*COMMAND, "run", *words],
        cwd=cli.folder,
        env=cli.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def asking(cli: Cli) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run, wait for its model request, and kill it in the end."""
    with started(cli, SLOW_ANSWER) as process:
        until(lambda: is_asking(cli))
        yield process


def until(happened: Callable[[], object]) -> None:
    """Wait for something outside of the test."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.requirement(131)
def test_the_answer_is_the_output(cli: Cli) -> None:
    done = cli.run("run", "--allow", "bash", TOOL)
    assert done.returncode == 0
    assert done.stdout.decode() == "[demo] I look.\n[demo] That is all.\n"
    told = done.stderr.decode().splitlines()
    assert told[:3] == ["> bash: echo seen; echo x >> marker", "  5 characters", "completed"]
    assert effects(cli) == 1


def test_a_failed_request_is_a_failed_run(cli: Cli) -> None:
    done = cli.run("run", "error: overloaded the server is busy")
    assert done.returncode == 1
    assert "failed: [demo] the server is busy" in done.stderr.decode()
    assert outcomes(cli) == ["failed"]


def test_json_is_one_event_per_line_and_its_facts_are_those_of_the_file(cli: Cli) -> None:
    done = cli.run("run", "--json", "--allow", "bash", TOOL)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert {event["event"] for event in events} == {"status", "delta", "committed"}
    assert done.stderr == b""
    committed = [fact for event in events for fact in event.get("facts", [])]
    assert committed == session_facts(cli.sessions[0].read_bytes())
    assert [event["state"] for event in events if event["event"] == "status"][-1] == "idle"


def test_without_a_terminal_ask_means_deny(cli: Cli) -> None:
    done = cli.run("run", TOOL)
    assert done.returncode == 0
    assert effects(cli) == 0
    assert "Nobody could be asked" in done.stderr.decode()
    assert "`perdure run --allow bash`" in done.stderr.decode()
    assert b"`perdure run --allow bash`" in cli.sessions[0].read_bytes()
    cli.run("run", "--allow", "write", TOOL)
    assert effects(cli) == 0


def test_a_denied_tool_stays_denied_unless_the_command_line_allows_it(cli: Cli) -> None:
    cli.configure('[model]\nprovider = "demo"\n[approval]\nbash = "deny"')
    cli.run("run", TOOL)
    assert effects(cli) == 0
    cli.run("run", "--allow", "bash", TOOL)
    assert effects(cli) == 1


def test_prompts_continue_the_session_unless_a_new_one_is_asked_for(cli: Cli) -> None:
    for words in (("one",), ("two",), ("--new", "three")):
        assert cli.run("run", *words).returncode == 0
    assert len(cli.sessions) == 2
    first, second = (session.stem.rpartition("_")[2] for session in cli.sessions)
    assert cli.run("run", "--session", first, "four").returncode == 0
    beginning = next(first[:end] for end in range(8, 36) if not second.startswith(first[:end]))
    assert cli.run("run", "--session", beginning, "five").returncode == 0
    prompts = [b'"one"', b'"two"', b'"four"', b'"five"']
    assert all(words in cli.sessions[0].read_bytes() for words in prompts)
    assert [
        line.split()[0] for line in cli.run("session", "list").stdout.decode().splitlines()
    ] == [
        first,
        second,
    ]


@pytest.mark.parametrize("session", ["nonsense", "018f0000-0000-7000-8000-000000000001"])
def test_an_unknown_session_is_a_usage_error(cli: Cli, session: str) -> None:
    done = cli.run("run", "--session", session, "hello")
    assert done.returncode == 2
    assert f"{session} is no session of {cli.folder}" in done.stderr.decode()


def test_unfinished_work_that_a_disk_does_not_take_ends_the_command(cli: Cli) -> None:
    with started(cli, "--allow", "bash", SLOW_TOOL):
        until(lambda: effects(cli))
    before = cli.sessions[0].read_bytes()
    limit = f'ulimit -f {len(before) // 512}; exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", limit, "sh", *COMMAND, "run", "next prompt"],
        cwd=cli.folder,
        env=cli.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 4
    assert b"is unavailable" in done.stderr
    assert cli.sessions[0].read_bytes().startswith(before)


@pytest.mark.requirement(2, 38)
def test_unfinished_work_is_finished_first_and_no_effect_repeated(cli: Cli) -> None:
    with started(cli, "--allow", "bash", SLOW_TOOL):
        until(lambda: effects(cli))
    done = cli.run("run", "next prompt")
    assert done.returncode == 0
    assert "Interrupted: started" in done.stderr.decode()
    assert "[demo] Never mind." in done.stdout.decode()
    assert effects(cli) == 1
    assert outcomes(cli) == ["completed", "completed"]


@pytest.mark.requirement(21, 48, 54, 70)
def test_a_changed_model_blocks_and_changes_no_byte(cli: Cli) -> None:
    with asking(cli):
        pass
    before = sha256(cli.sessions[0].read_bytes()).hexdigest()
    done = cli.run("run", "--model", "other", "next prompt")
    assert done.returncode == 3
    assert "model: recorded demo, now other" in done.stderr.decode()
    assert sha256(cli.sessions[0].read_bytes()).hexdigest() == before


def test_what_is_not_resumed_stands_in_the_way_and_is_left_alone(cli: Cli) -> None:
    with asking(cli):
        pass
    cli.configure('resume = "never"\n[model]\nprovider = "demo"')
    before = cli.sessions[0].read_bytes()
    done = cli.run("run", "next prompt")
    assert done.returncode == 4
    assert "is suspended" in done.stderr.decode()
    assert cli.sessions[0].read_bytes() == before


def test_unfinished_work_is_aborted_by_the_command_that_is_named(cli: Cli) -> None:
    with started(cli, "--allow", "bash", SLOW_TOOL) as process:
        until(lambda: effects(cli))
        before = cli.sessions[0].read_bytes()
        held = cli.run("session", "abort", cli.sessions[0])
        assert held.returncode == 1
        assert f"process {process.pid}" in held.stderr.decode()
        assert cli.sessions[0].read_bytes() == before
    cli.configure('[model]\nprovider = "openai"\nbaseUrl = "https://example.invalid/v1"')
    named = cli.run("run", "next prompt").stderr.decode().rpartition("`perdure session abort ")[2]
    done = cli.run("session", "abort", named.partition("`")[0])
    assert done.returncode == 0
    assert done.stdout.decode() == f"{cli.sessions[0]}: aborted\n"
    assert outcomes(cli) == ["aborted"]
    copy = cli.folder / "copy.jsonl"
    copy.write_bytes(before)
    elsewhere = cli.run("session", "abort", copy)
    assert elsewhere.returncode == 1
    assert "does not lie among the sessions" in elsewhere.stderr.decode()
    again = cli.run("session", "abort", cli.sessions[0])
    assert (again.returncode, again.stdout.decode()) == (
        0,
        f"{cli.sessions[0]}: nothing is unfinished\n",
    )


def test_unfinished_work_that_no_model_can_finish_says_what_to_configure(cli: Cli) -> None:
    with asking(cli):
        pass
    cli.configure('[model]\nprovider = "openai"\nbaseUrl = "https://example.invalid/v1"')
    before = cli.sessions[0].read_bytes()
    done = cli.run("run", "next prompt")
    assert done.returncode == 4
    assert "model.apiKeyEnv" in done.stderr.decode()
    assert cli.sessions[0].read_bytes() == before


def test_a_session_in_use_names_the_process(cli: Cli) -> None:
    with asking(cli) as process:
        done = cli.run("run", "next prompt")
        assert done.returncode == 4
        assert f"process {process.pid}" in done.stderr.decode()


def test_a_provider_that_is_not_configured_is_one_sentence(cli: Cli) -> None:
    cli.configure('[model]\nprovider = "openai"\nbaseUrl = "https://example.invalid/v1"')
    done = cli.run("run", "hello")
    assert done.returncode == 4
    assert "model.apiKeyEnv" in done.stderr.decode()
    assert cli.sessions == []


def test_a_wrong_setting_is_reported_and_does_not_stop_the_run(cli: Cli) -> None:
    cli.configure('resume = 7\n[model]\nprovider = "demo"')
    done = cli.run("run", "hello")
    assert done.returncode == 0
    [told] = [line for line in done.stderr.decode().splitlines() if "toml: resume:" in line]
    assert told.endswith('; "ask" counts')


def test_sigterm_suspends_and_commits_nothing(cli: Cli) -> None:
    with started(cli, "--allow", "bash", SLOW_TOOL) as process:
        until(lambda: effects(cli))
        before = cli.sessions[0].read_bytes()
        process.terminate()
        assert process.wait(timeout=10) == 128 + signal.SIGTERM
    assert cli.sessions[0].read_bytes() == before
    assert cli.run("run", "next prompt").returncode == 0
    assert effects(cli) == 1


def test_a_reader_that_stands_still_holds_up_nothing_but_the_end(cli: Cli) -> None:
    """The work is recorded all the same, and a second Ctrl-C ends the process at once."""
    with started(cli, "--json", "text: " + 20_000 * "much ") as process:
        until(lambda: outcomes(cli) == ["completed"])
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=2) == 130
