"""``perdure demo``: it tells only what it has observed, and it cleans up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support.cli import Cli, new_cli

from perdure.agent.session_facts import session_facts

pytestmark = pytest.mark.process


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    (tmp_path / "tmp").mkdir()
    return new_cli(tmp_path, TMPDIR=str(tmp_path / "tmp"))


@pytest.mark.requirement(2, 38, 48, 49, 54, 82, 131)
@pytest.mark.hazard("echo start >> f; sleep 60; echo end >> f, K9, reopen, resume: start once")
def test_the_demo_ends_well_and_leaves_nothing_behind(cli: Cli, tmp_path: Path) -> None:
    done = cli.run("demo")
    told = done.stdout.decode()
    assert done.returncode == 0, told + done.stderr.decode()
    assert "The side effect happened once." in told
    assert "model: recorded demo, now demo-2" in told
    before, after = re.findall(r"\| (?:before|after ) (\w+)", told)
    assert before == after
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (cli.home / "state").exists()


def test_what_the_demo_tells_is_what_lies_on_the_disk(cli: Cli, tmp_path: Path) -> None:
    done = cli.run("demo", "--keep")
    assert done.returncode == 0
    (scratch,) = (tmp_path / "tmp").iterdir()
    assert len((scratch / "workspace" / "marker.txt").read_text(encoding="utf-8").split("\n")) == 2
    (log,) = scratch.glob("state/workspaces/*/sessions/*.jsonl")
    facts = session_facts(log.read_bytes())
    records = [fact["record"] for fact in facts if fact["kind"] == "record"]
    ends = [record["outcome"] for record in records if record["type"] == "operationFinished"]
    assert [record["type"] for record in records].count("toolStarted") == 1
    assert ends == ["completed", "aborted"]


def test_a_demo_that_cannot_show_it_says_which_step_failed(cli: Cli, tmp_path: Path) -> None:
    """Without ``sleep`` on the path the command is over before it can be killed."""
    programs = tmp_path / "programs"
    programs.mkdir()
    poor = Cli(cli.home, cli.folder, {**cli.variables, "PATH": str(programs)})
    done = poor.run("demo")
    assert done.returncode == 1
    assert re.match(r"perdure: Step [2-5] is not as it should be: ", done.stderr.decode())
