"""The ``perdure`` command itself: usage, errors, and what it imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import COMMAND, Cli, new_cli

from perdure import __version__

pytestmark = pytest.mark.process

HEAVY = ("asyncio", "pygls", "lsprotocol", "pydantic", "httpx", "platformdirs")


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return new_cli(tmp_path)


def test_version(cli: Cli) -> None:
    assert cli.run("--version").stdout.decode() == f"perdure {__version__}\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 2),
        (("nonsense",), 2),
        (("session",), 2),
        (("session", "reduce"), 2),
        (("session", "plan", "a.jsonl"), 2),
        (("run",), 2),
        (("serve", "--tcp", "nonsense"), 2),
        (("serve", "--tcp", "127.0.0.1:99999"), 2),
        (("run", "--allow", "nonsense", "hello"), 2),
        (("--help",), 0),
        (("session", "--help"), 0),
        (("run", "--help"), 0),
    ],
)
def test_usage(cli: Cli, words: tuple[str, ...], code: int) -> None:
    done = cli.run(*words)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr


def test_reduce_imports_nothing_heavy() -> None:
    """The start of the small commands must not pay for the server."""
    program = (
        "import sys; from perdure.cli.main import main; main(['session', 'reduce', '/dev/null']); "
        f"print(*(name for name in {HEAVY!r} if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr.strip() == b""


def test_a_reader_that_leaves_early_is_no_error(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "header.jsonl"
    file.write_bytes(b"x")
    words = [*COMMAND, "session", "verify", *[str(file)] * 3000]
    with subprocess.Popen(
        words, env=cli.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


KEY = "my-very-own-key-4f1d8c0a9e7b"
AWS = "AKIAIOSFODNN7EXAMPLE"


def test_an_internal_error_is_one_sentence_and_a_file_with_the_traceback(cli: Cli) -> None:
    program = (
        "import sys, perdure.cli.session as session\n"
        f"def broken(argv): raise ZeroDivisionError('no {KEY} {AWS}')\n"
        "session.run = broken\n"
        "from perdure.cli.main import main\n"
        "sys.exit(main(['session']))"
    )
    environ = {**cli.environ, "OPENAI_API_KEY": KEY}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, check=False
    )
    assert done.returncode == 1
    sentence = done.stderr.decode().strip()
    assert sentence.startswith("perdure: an internal error (ZeroDivisionError)")
    log = Path(sentence.rpartition(" ")[2].rstrip("."))
    assert "ZeroDivisionError: no [key] [masked: AWS key]\n" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600
    log.unlink()
