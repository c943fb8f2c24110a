"""``perdure run`` on a terminal: Ctrl-C, questions, and the state it leaves the terminal in."""

from __future__ import annotations

import codecs
import os
import re
import select
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.cli import COMMAND, Cli, new_cli

from perdure.agent.session_facts import session_facts

pytestmark = pytest.mark.process

CTRL_C = b"\x03"
CTRL_D = b"\x04"
TOOL = 'call: bash {"command": "echo done >> marker"}\n---\ntext: That is all.'
TWICE = f"{TOOL.partition(chr(10))[0]}\n---\n{TOOL}"
SLOW_TOOL = 'call: bash {"command": "echo $$ > pid; sleep 60"}\n---\ntext: Never said.'
SLOW_ANSWER = "text: One moment.\nsleep: 60000"


PATIENCE_SECONDS = 60


class Screen:
    """The other side of the terminal."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self.process = process
        self.shown = ""
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._terminal, keys)

    def until(self, pattern: str) -> re.Match[str]:
        """Read until the pattern is on the screen."""
        end = time.monotonic() + PATIENCE_SECONDS
        while (found := re.search(pattern, self.shown)) is None:
            assert time.monotonic() < end, self.shown
            ended = self.process.poll() is not None
            assert self._read() or not ended, self.shown
        return found

    def exit_code(self) -> int:
        """Read to the end and return the exit code."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, self.shown
            self._read()
        while self._read():
            pass
        return self.process.returncode

    def mode(self) -> list[object]:
        """Return the terminal's mode."""
        return list(termios.tcgetattr(self._terminal))

    def _read(self) -> bool:
        """Take what is there by now; return whether there was anything."""
        readable, _, _ = select.select([self._terminal], [], [], 0.1)
        if readable:
            self.shown += self._decoder.decode(os.read(self._terminal, 65536))
        return bool(readable)


@contextmanager
def running(cli: Cli, *words: str) -> Iterator[Screen]:
    """Run on a terminal of its own, the foreground process there; it is killed in the end."""
    ours, theirs = os.openpty()
    with subprocess.Popen(
        [*COMMAND, "run", *words],
        cwd=cli.folder,
        env=cli.environ,
        preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509  the child execs at once
    ) as process:
        try:
            yield Screen(process, ours)
        finally:
            process.kill()
            os.close(theirs)
            os.close(ours)


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = new_cli(tmp_path)
    cli.configure('[model]\nprovider = "demo"')
    return cli


def record_types(cli: Cli) -> list[str]:
    """Return the types of the records in the session."""
    facts = session_facts(cli.sessions[0].read_bytes())
    return [fact["record"]["type"] for fact in facts if fact["kind"] == "record"]


@pytest.mark.requirement(98, 103, 104, 131)
def test_ctrl_c_aborts_a_tool_durably_and_the_session_goes_on(cli: Cli) -> None:
    with running(cli, "--allow", "bash", SLOW_TOOL) as screen:
        mode = screen.mode()
        screen.until("> bash: echo")
        pid = _written_pid(cli.folder / "pid")
        began = time.monotonic()
        screen.press(CTRL_C)
        assert screen.exit_code() == 130
        assert time.monotonic() - began < 5
        assert screen.mode() == mode
    assert "aborted" in screen.shown
    assert not Path(f"/proc/{pid}").exists()
    assert record_types(cli)[-2:] == ["abortRequested", "operationFinished"]
    assert not list(cli.sessions[0].parent.glob("*.owner"))
    done = cli.run("run", "next prompt")
    assert done.returncode == 0
    assert len(cli.sessions) == 1


@pytest.mark.requirement(104, 105)
def test_ctrl_c_aborts_the_model_request(cli: Cli) -> None:
    with running(cli, SLOW_ANSWER) as screen:
        screen.until("One moment")
        screen.press(CTRL_C)
        assert screen.exit_code() == 130
    assert record_types(cli)[-3:] == ["abortRequested", "stepFailed", "operationFinished"]


@pytest.mark.requirement(104)
def test_ctrl_c_at_an_approval_aborts_and_executes_nothing(cli: Cli) -> None:
    with running(cli, TOOL) as screen:
        screen.until("May it run")
        screen.press(CTRL_C)
        assert screen.exit_code() == 130
    assert not (cli.folder / "marker").exists()
    assert record_types(cli)[-2:] == ["abortRequested", "operationFinished"]


@pytest.mark.parametrize(
    ("keys", "effects"),
    [(b"y\n", 1), (b"n\n", 0), (CTRL_D, 0), (b"what\nn\n", 0), (b"YES\n", 1), (b"a\n", 1)],
)
def test_an_approval_shows_the_command_and_obeys_the_answer(
    cli: Cli, keys: bytes, effects: int
) -> None:
    with running(cli, TOOL) as screen:
        screen.until("May it run")
        assert "echo done >> marker" in screen.shown
        screen.press(keys)
        assert screen.exit_code() == 0
    marker = cli.folder / "marker"
    assert (marker.read_text(encoding="utf-8").count("done") if marker.exists() else 0) == effects


@pytest.mark.parametrize("keys", [[b"a\n"], [b"y\n", b"y\n"]])
def test_always_is_asked_once_in_a_session(cli: Cli, keys: list[bytes]) -> None:
    question = r"May it run\? \[y\]es, \[n\]o, .*\[w\] always in this workspace: "
    with running(cli, TWICE) as screen:
        for number, key in enumerate(keys, 1):
            screen.until(f"(?s:{question}.*){{{number}}}")
            screen.press(key)
        assert screen.exit_code() == 0
    assert screen.shown.count("May it run") == len(keys)
    assert (cli.folder / "marker").read_text(encoding="utf-8").count("done") == 2


def test_what_is_typed_before_the_question_is_no_answer(cli: Cli) -> None:
    with running(cli, TOOL) as screen:
        screen.press(b"y\n")
        screen.until("May it run")
        screen.press(b"n\n")
        assert screen.exit_code() == 0
    assert not (cli.folder / "marker").exists()


def test_a_change_is_shown_before_it_is_allowed(cli: Cli) -> None:
    (cli.folder / "file").write_text("old\n", encoding="utf-8")
    with running(cli, 'call: write {"path": "file", "content": "new\\n"}\n---\ntext: ok') as screen:
        screen.until("May it run")
        assert "-old" in screen.shown
        assert "+new" in screen.shown
        screen.press(b"y\n")
        assert screen.exit_code() == 0
    assert (cli.folder / "file").read_text(encoding="utf-8") == "new\n"


@pytest.mark.parametrize(
    ("key", "last", "code"), [(b"r\n", "completed", 0), (b"a\n", "aborted", 0)]
)
def test_suspended_work_is_asked_about(cli: Cli, key: bytes, last: str, code: int) -> None:
    with running(cli, "--allow", "bash", SLOW_TOOL) as screen:
        screen.until("> bash: echo")
        _written_pid(cli.folder / "pid")
    cli.configure('resume = "ask"\n[model]\nprovider = "demo"')
    with running(cli, "next prompt") as screen:
        screen.until("What should be done")
        screen.press(key)
        assert screen.exit_code() == code
    assert last in screen.shown


@pytest.mark.requirement(49)
def test_blocked_work_can_be_aborted_and_then_the_prompt_is_sent(cli: Cli) -> None:
    with running(cli, SLOW_ANSWER) as screen:
        screen.until("One moment")
    with running(cli, "--model", "other", "text: the next answer") as screen:
        screen.until("recorded demo, now other")
        screen.until("What should be done")
        screen.press(b"a\n")
        assert screen.exit_code() == 0
    assert "the next answer" in screen.shown
    assert record_types(cli).count("operationFinished") == 2


def test_control_characters_are_shown_and_not_obeyed(cli: Cli) -> None:
    with running(cli, "text: red \x1b[31m \u202e end") as screen:
        assert screen.exit_code() == 0
    assert "red \u241b[31m \ufffd end" in screen.shown
    assert "\x1b" not in screen.shown


def _written_pid(file: Path) -> int:
    end = time.monotonic() + PATIENCE_SECONDS
    while not (file.exists() and file.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.02)
    return int(file.read_text(encoding="utf-8"))
