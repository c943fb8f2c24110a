"""The same call again and again."""

from __future__ import annotations

import pytest
from tests.support.log import CallSpec, session
from tests.unit.agent.calls import IDLE, after, intent, state_of

from perdure.agent.repetition import repeats


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        ([], False),
        (["a"], False),
        (["a", "a"], True),
        (["b", "a", "a"], True),
        (["a", "a", "b"], False),
        (["a", "b", "a"], False),
        (["a", "a", "a"], True),
        (["!a", "a"], False),
        (["!a", "!a", "!a"], False),
        (["a", "!a", "a"], True),
    ],
)
def test_three_times_in_a_row(earlier: list[str], expected: bool) -> None:
    assert repeats(after(*earlier), intent("a")) is expected


def test_the_same_arguments_for_another_tool_are_another_call() -> None:
    assert not repeats(after("a", "a"), intent("a", tool="other"))


def test_calls_of_one_answer_count_too() -> None:
    call: CallSpec = ("bash", {"command": "a"})
    log = session().prompt().attempt().calls(call, call, call)
    assert repeats(state_of(log.started(0).result(0).started(1).result(1)), intent("a"))


def test_a_new_prompt_begins_a_new_row() -> None:
    call: CallSpec = ("bash", {"command": "a"})
    log = session().prompt()
    for _ in range(2):
        log = log.attempt().calls(call).started(0).result(0)
    log = log.attempt().answer("done").finish().prompt()
    assert not repeats(state_of(log), intent("a"))
    assert not repeats(IDLE, intent("a"))
