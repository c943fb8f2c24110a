"""``perdure session``: each subcommand as a process, on files of every kind."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
from tests.support.cli import Cli, new_cli
from tests.support.log import session

from perdure.json_types import JsonObject

pytestmark = pytest.mark.process

ZERO = "sha256:" + "0" * 64


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return new_cli(tmp_path)


@pytest.fixture
def good(cli: Cli) -> Path:
    log = session().prompt("look").attempt().answer("seen").finish()
    return _written(cli, "good.jsonl", log.to_bytes())


@pytest.fixture
def bad(cli: Cli) -> Path:
    return _written(cli, "bad.jsonl", session().prompt("look").raw(b"").to_bytes())


def test_reduce_prints_one_line_per_file_in_the_order_given(
    cli: Cli, good: Path, bad: Path
) -> None:
    done = cli.run("session", "reduce", bad, "missing.jsonl", good)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0] == {"ok": False, "error": {"code": "BLANK_LINE", "line": 3}}
    assert lines[1] == {"ok": False, "error": {"code": "not_found"}}
    assert lines[2]["ok"]
    assert lines[2]["state"]["operation"] == {"kind": "idle"}
    assert done.returncode == 1
    assert cli.run("session", "reduce", good).returncode == 0


@pytest.mark.requirement(5)
def test_the_state_depends_on_the_bytes_alone(cli: Cli, good: Path, tmp_path: Path) -> None:
    elsewhere = Cli(cli.home, tmp_path, {"PERDURE_MODEL": "x", "PERDURE_ENVIRONMENT_IDENTITY": "y"})
    assert (
        cli.run("session", "reduce", good).stdout == elsewhere.run("session", "reduce", good).stdout
    )


@pytest.mark.requirement(7)
def test_plan_prints_plans_and_changes_no_byte(cli: Cli, good: Path, bad: Path) -> None:
    before = _digests(cli.folder)
    started = session().prompt("look").attempt()
    open_attempt = _written(cli, "open.jsonl", started.to_bytes())
    configuration = _configuration(cli, configurationDigest=ZERO)
    done = cli.run("session", "plan", good, bad, open_attempt, "--configuration", configuration)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "finish", "outcome": "completed", "completion": "normal"},
        {"ok": False, "error": {"code": "BLANK_LINE", "line": 3}},
        {"type": "blocked", "reason": "configuration_changed"},
    ]
    assert done.returncode == 1
    assert before.items() <= _digests(cli.folder).items()
    assert not (cli.home / "state").exists()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"configurationDigest": "x"}, "configuration.configurationDigest"),
        ({"tools": [{}]}, "configuration.tools[0].name"),
        ({"extra": 1}, "configuration.extra"),
    ],
)
def test_a_wrong_configuration_is_a_usage_error_that_names_the_path(
    cli: Cli, good: Path, change: JsonObject, path: str
) -> None:
    done = cli.run("session", "plan", good, "--configuration", _configuration(cli, **change))
    assert done.returncode == 2
    assert path in done.stderr.decode()
    assert done.stdout == b""


def test_verify_names_the_first_bad_line_and_byte(cli: Cli, good: Path, bad: Path) -> None:
    torn = _written(cli, "torn.jsonl", good.read_bytes() + b'{"kind":')
    done = cli.run("session", "verify", good, bad, torn)
    first, second, third = done.stdout.decode().splitlines()
    assert first.endswith("good.jsonl: ok, 5 facts, idle")
    assert second.endswith(f"bad.jsonl: line 3, byte {bad.stat().st_size - 1}: BLANK_LINE")
    assert third.endswith("ok, 5 facts, idle; a torn tail of 8 bytes is not part of it")
    assert done.returncode == 1
    assert cli.run("session", "verify", good, torn).returncode == 0


def test_export_prints_markdown_and_refuses_a_corrupt_file(cli: Cli, good: Path, bad: Path) -> None:
    done = cli.run("session", "export", good)
    assert b"> look" in done.stdout
    refused = cli.run("session", "export", bad)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert "line 3" in refused.stderr.decode()


def test_list_and_show_find_the_sessions_of_a_folder(cli: Cli) -> None:
    nothing = cli.run("session", "list")
    assert nothing.returncode == 0
    assert b"no session" in nothing.stdout
    assert not (cli.home / "state").exists()


def test_show_says_what_a_session_waits_for(cli: Cli) -> None:
    log = session().prompt("go").attempt().calls(("bash", {"command": "true"})).started(0)
    shown = cli.run("session", "show", _written(cli, "open.jsonl", log.to_bytes()))
    assert "bash: started, no result recorded" in shown.stdout.decode()
    assert "unfinished run" in shown.stdout.decode()
    unknown = cli.run("session", "show", "018f0000-0000-7000-8000-000000000001")
    assert unknown.returncode == 1
    assert "not found" in unknown.stderr.decode()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_one_sentence(cli: Cli, good: Path) -> None:
    good.chmod(0)
    done = cli.run("session", "verify", good)
    assert done.returncode == 1
    assert "cannot be read" in done.stdout.decode()


@pytest.mark.parametrize(
    "words", [["list"], ["show", ""], ["verify", "", ""], ["salvage", ""], ["export", ""]]
)
def test_a_wrong_setting_is_told_once(cli: Cli, good: Path, words: list[str]) -> None:
    _tells_once(cli, *(word or good for word in words))


def test_a_wrong_setting_is_told_once_when_work_is_ended(cli: Cli) -> None:
    cli.run("run", "text: done")
    [path] = cli.sessions
    _tells_once(cli, "abort", path.stem.rpartition("_")[2])


def _tells_once(cli: Cli, *words: str | Path) -> None:
    cli.configure("colour = 1")
    done = cli.run("session", *words)
    assert done.returncode == 0
    assert done.stderr.decode().count("is not a setting of Perdure") == 1


def _written(cli: Cli, name: str, data: bytes) -> Path:
    file = cli.folder / name
    file.write_bytes(data)
    return file


def _configuration(cli: Cli, **change: object) -> Path:
    value = {"configurationDigest": ZERO, "environmentIdentity": "fixture", "tools": []}
    return _written(cli, "configuration.json", json.dumps(value | change).encode())


def _digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
