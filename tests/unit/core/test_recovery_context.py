"""The messages of a request, and the calls that wait for a result."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from tests.support.fixtures.stages import (
    BASH,
    READ,
    attempting,
    calling,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log, session
from tests.support.resume import state_of

from perdure.core.arguments import MAX_DEPTH, parse_arguments
from perdure.core.codec import encode_line
from perdure.core.context import current_turn, model_messages, open_calls
from perdure.core.messages import Message, is_blank
from perdure.core.state import Prefix
from perdure.json_types import JsonObject, JsonValue


def _long_history(turns: int) -> Log:
    log = session()
    for _ in range(turns):
        log.prompt().attempt().calls(READ).started(0).result(0).attempt().answer("done").finish()
    return log.prompt().attempt().calls(READ).started(0)


def test_only_the_current_turn_is_read() -> None:
    state = state_of(_long_history(3).to_bytes())
    unreadable = cast(Message, {})
    messages = [unreadable] * (len(state.transcript) - 1) + [state.transcript[-1]]
    assert len(open_calls(replace(state, transcript=Prefix(messages)))) == 1


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param(session(), [], id="idle"),
        pytest.param(attempting(), [], id="attempting"),
        pytest.param(attempting().failed(), [], id="failed"),
        pytest.param(summarising(), [], id="compaction"),
        pytest.param(attempting().answer("done"), [], id="answer without calls"),
        pytest.param(calling(), [(0, False), (1, False)], id="untouched"),
        pytest.param(calling().started(1), [(0, False), (1, True)], id="second started"),
        pytest.param(tool_started(READ, BASH).result(0), [(1, False)], id="first answered"),
        pytest.param(calling().synthetic(1, "aborted"), [(0, False)], id="second synthetic"),
        pytest.param(tool_started(READ).result(0), [], id="all answered"),
        pytest.param(tool_started(READ).result(0).user("x"), [], id="user entry after results"),
        pytest.param(
            tool_started(READ).result(0).attempt().calls(READ), [(0, False)], id="same id again"
        ),
    ],
)
def test_open_calls(log: Log, expected: list[tuple[int, bool]]) -> None:
    calls = open_calls(state_of(log.to_bytes()))
    assert [(call.index, call.intent is not None) for call in calls] == expected


def test_an_open_call_knows_its_answer_and_its_intent() -> None:
    state = state_of(tool_started(READ).to_bytes())
    turn = current_turn(state)
    assert turn is not None
    [call] = turn.open_calls
    assert call.assistant_entry_id == turn.entry_id
    assert call.intent is not None
    assert call.intent.tool_call_id == call.call["id"]


@pytest.mark.requirement(19)
def test_a_second_attempt_sends_what_the_first_one_sent() -> None:
    first = model_messages(state_of(attempting().to_bytes()))
    again = model_messages(state_of(attempting().user("more").retry().to_bytes()))
    assert list(first) == list(again) == [{"role": "user", "content": "do it"}]


@pytest.mark.requirement(115)
def test_after_a_compaction_the_model_sees_summary_and_tail() -> None:
    log = summarising().summary("S").finish().prompt("next").attempt()
    assert list(model_messages(state_of(log.to_bytes()))) == [
        {"role": "user", "content": "[Compacted history]\nS"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "next"},
    ]


def test_when_idle_the_whole_context_counts() -> None:
    assert len(model_messages(state_of(finished_run().user("x").to_bytes()))) == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' {"a": [1, 2.5, null]}\n', {"a": [1, 2.5, None]}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    ],
)
def test_arguments(text: str, value: JsonObject) -> None:
    assert parse_arguments(text) == value


@pytest.mark.hazard("Bad argument JSON")
@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "[]", '"{}"', "1", "{}{}", '{"a":', "{a: 1}", "{'a': 1}", '{"a": NaN}'),
        *('{"a": 1e400}', '{"a": "\\ud800"}', '{"a": "\n"}', "\ufeff{}"),
    ],
)
def test_no_arguments(text: str) -> None:
    assert parse_arguments(text) is None


@pytest.mark.parametrize(("levels", "storable"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_arguments_fit_into_a_line(levels: int, storable: bool) -> None:
    arguments = parse_arguments('{"a":' * (levels - 1) + "{}" + "}" * (levels - 1))
    assert (arguments is not None) is storable
    if arguments is not None:
        line: JsonValue = [{"record": {"arguments": arguments}}]
        assert encode_line(line)


@pytest.mark.parametrize("text", [None, "", " \t\r\n", "\u00a0\ufeff\u2028\u3000"])
def test_blank(text: str | None) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["x", " x ", "\u0085", "\x1c", "\u200b", "\x00"])
def test_not_blank(text: str) -> None:
    assert not is_blank(text)
