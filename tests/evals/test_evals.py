"""The tasks of the evaluation, done by the scripted model; and verifiers that can say no."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.running import attempt
from tests.evals.task import Task, all_tasks
from tests.support.cli import new_cli

pytestmark = pytest.mark.process

TASKS = all_tasks()
TASK = pytest.mark.parametrize("task", TASKS, ids=[task.name for task in TASKS])


def test_there_are_ten() -> None:
    assert len(TASKS) == 10


@TASK
def test_nothing_done_is_not_enough(task: Task, tmp_path: Path) -> None:
    task.set_up(tmp_path / "work")
    assert task.problem(tmp_path / "work") is not None


@TASK
def test_the_scripted_model_does_it(task: Task, tmp_path: Path) -> None:
    cli = new_cli(tmp_path)
    cli.configure('[model]\nprovider = "demo"')
    outcome = attempt(task, tmp_path, environ=cli.environ, script=task.solution)
    assert outcome.problem == ""
    assert outcome.requests == task.solution.count("\n---\n") + 1
    assert outcome.calls == outcome.requests - 1


def test_a_model_that_does_nothing_fails(tmp_path: Path) -> None:
    cli = new_cli(tmp_path)
    cli.configure('[model]\nprovider = "demo"')
    outcome = attempt(TASKS[0], tmp_path, environ=cli.environ, script="text: I would rather not.")
    assert outcome.problem != ""
    assert (outcome.requests, outcome.calls) == (1, 0)
