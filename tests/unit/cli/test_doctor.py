"""``perdure doctor``: what it checks is really tried, and it never prints a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.cli import Cli, new_cli

pytestmark = pytest.mark.process

DEMO = '[model]\nprovider = "demo"'


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = new_cli(tmp_path)
    cli.configure(DEMO)
    return cli


def findings(cli: Cli, *, code: int) -> dict[str, tuple[str, str]]:
    """Return level and words by subject."""
    done = cli.run("doctor")
    assert done.returncode == code, done.stdout + done.stderr
    rows = [line.split(maxsplit=2) for line in done.stdout.decode().splitlines() if line[0] != " "]
    return {subject: (level, words) for level, subject, words in rows}


def test_everything_that_work_needs_is_tried(cli: Cli) -> None:
    found = findings(cli, code=0)
    assert found["provider"][1].startswith("demo, model demo")
    assert "the settings say so" in found["provider"][1]
    assert found["directories"][0] == "ok"
    assert "a second writer is kept out" in found["locks"][1]
    assert "runs under its supervisor" in found["commands"][1]
    assert "any other LSP client starts `perdure serve`" in found["editors"][1]
    assert not (cli.home / "state").exists()


@pytest.mark.hazard("the provider key appears in no session, log or trace")
def test_a_key_is_named_and_never_shown(cli: Cli) -> None:
    cli.configure("")
    rich = Cli(cli.home, cli.folder, {"OPENAI_API_KEY": "sk-very-secret"})
    done = rich.run("doctor")
    told = done.stdout.decode()
    assert done.returncode == 0
    assert "gpt-5.1, api.openai.com/v1:gpt-5.1: OPENAI_API_KEY is set." in told
    assert "secret" not in told + done.stderr.decode()


def test_a_provider_that_cannot_be_used_is_a_problem_with_a_remedy(cli: Cli) -> None:
    cli.configure('[model]\nbaseUrl = "https://example.invalid/v1"')
    assert findings(cli, code=1)["provider"][0] == "problem"
    assert b"model.apiKeyEnv" in cli.run("doctor").stdout


def test_a_place_that_is_no_directory_is_a_problem(cli: Cli) -> None:
    file = cli.home / "file"
    file.touch()
    lost = Cli(cli.home, cli.folder, {"PERDURE_STATE_DIR": str(file / "state")})
    found = findings(lost, code=1)
    assert found["directories"][0] == "problem"
    assert found["locks"][0] == "problem"


def test_open_directories_are_noted(cli: Cli) -> None:
    assert cli.run("run", "hello").returncode == 0
    cli.sessions[0].parent.chmod(0o755)
    assert "mode 0755" in cli.run("doctor").stdout.decode()


def test_an_endpoint_for_traces_is_named(cli: Cli) -> None:
    assert "traces" not in findings(cli, code=0)
    cli.configure(f'{DEMO}\n[telemetry]\nendpoint = "http://localhost:6006"')
    level, words = findings(cli, code=0)["traces"]
    assert (level, words) == ("ok", "are sent to http://localhost:6006")


def test_a_sandbox_that_is_wanted_and_does_not_work_is_a_problem(cli: Cli) -> None:
    cli.configure(f'{DEMO}\n[tools]\nsandbox = "on"')
    poor = Cli(cli.home, cli.folder, {"PATH": ""})
    level, words = findings(poor, code=1)["commands"]
    assert level == "problem"
    assert "bubblewrap (bwrap) is not there. Nothing was run." in words
