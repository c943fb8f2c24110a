"""Commands where the current directory, or the one for the sessions, is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support.cli import COMMAND, Cli, new_cli

pytestmark = pytest.mark.process

WORDS = ["run hello", "session list", "session show 018f0000-0000-7000-8000-000000000001"]


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return new_cli(tmp_path)


@pytest.mark.parametrize("words", WORDS)
def test_a_current_directory_that_was_deleted_is_said(cli: Cli, words: str) -> None:
    leave = 'rmdir "$PWD" && exec "$@"'
    done = subprocess.run(
        ["/bin/sh", "-c", leave, "sh", *COMMAND, *words.split()],
        cwd=cli.folder,
        env=cli.environ,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert b"current directory is not there any more" in done.stderr


@pytest.mark.parametrize("words", [*WORDS, "doctor"])
def test_a_state_directory_that_is_a_file_is_said(cli: Cli, words: str) -> None:
    (cli.home / "state").write_text("x\n")
    done = cli.run(*words.split())
    assert done.returncode in (1, 4)
    assert b"cannot be read: Not a directory." in done.stdout + done.stderr
    assert b"sessionsDir, or else the variable PERDURE_STATE_DIR" in done.stdout + done.stderr
    assert b"internal error" not in done.stderr
