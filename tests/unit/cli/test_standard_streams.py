"""Standard streams that are closed, full, or the prompt; and sessions named by their id."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.support.cli import COMMAND, Cli, new_cli

pytestmark = pytest.mark.process


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return new_cli(tmp_path)


def shell(cli: Cli, words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run ``perdure`` with the words and redirections of a shell."""
    return subprocess.run(
        ["/bin/sh", "-c", f"{shlex.join(COMMAND)} {words}"],
        cwd=cli.folder,
        env=cli.environ,
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )


def session_id(cli: Cli) -> str:
    assert cli.run("run", "text: fine").returncode == 0
    return cli.sessions[0].stem.rpartition("_")[2]


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_nowhere(cli: Cli, closed: str) -> None:
    done = shell(cli, f"run 'text: fine' {closed}")
    assert (done.returncode, b"internal error" in done.stderr) == (0, False)
    assert cli.run("session", "verify", *cli.sessions).returncode == 0


@pytest.mark.parametrize(
    "words", ["run 'text: fine'", "session list", "session reduce {log}", "session export {log}"]
)
def test_output_that_is_lost_is_a_failure(cli: Cli, words: str) -> None:
    session_id(cli)
    done = shell(cli, f"{words.format(log=cli.sessions[0])} > /dev/full")
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last == "perdure: The output could not be written: No space left on device."


def test_a_reader_that_goes_does_not_change_how_a_run_ends(cli: Cli) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody_reads:
        done = subprocess.run(
            [*COMMAND, "run", "text: fine"],
            cwd=cli.folder,
            env=cli.environ,
            stdin=subprocess.DEVNULL,
            stdout=nobody_reads,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"completed\n")


def test_a_dash_reads_the_prompt_from_standard_input(cli: Cli) -> None:
    done = shell(cli, "run -", stdin="text: grüße\n".encode())
    assert (done.returncode, done.stdout.decode()) == (0, "[demo] grüße\n")
    assert shell(cli, "run -", stdin=b" \n").returncode == 2


@pytest.mark.parametrize("command", ["show", "verify", "export"])
def test_a_session_is_named_by_its_id_or_its_file(cli: Cli, command: str) -> None:
    known = session_id(cli)
    for name in (known, cli.sessions[0]):
        assert cli.run("session", command, name).returncode == 0
    elsewhere = Cli(cli.home, cli.home)
    assert elsewhere.run("session", command, known).returncode == 1
    assert elsewhere.run("session", command, known, "--folder", cli.folder).returncode == 0
    assert cli.run("session", command, "nothing.jsonl").returncode == 1


def test_what_cannot_be_reduced_is_said_in_a_sentence(cli: Cli) -> None:
    done = cli.run("session", "reduce", cli.folder)
    assert done.stdout == b'{"ok":false,"error":{"code":"storage_failed"}}\n'
    assert b"cannot be read: Is a directory." in done.stderr
