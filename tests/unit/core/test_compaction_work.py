"""The request for a summary and the entry that stores it: the same before and after a crash."""

from __future__ import annotations

import json

import pytest
from tests.support.fixtures.stages import READ, compacting, summarising
from tests.support.log import Log, session
from tests.support.resume import resume, state_of

from perdure.core.compaction import SummaryWork, plan_compaction, summary_work, usable_summary
from perdure.core.messages import AssistantMessage, StopReason
from perdure.core.state import Compaction

CALLED: AssistantMessage = {
    "role": "assistant",
    "content": "text",
    "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ],
}


ORDER = [
    b'"compactionStarted"',
    b'"stepKind":"compaction"',
    b'"type":"compaction"',
    b'"operationKind":"compaction","outcome":"completed"',
]


def _history() -> Log:
    log = session().prompt("first").attempt().calls(READ).started(0).result(0)
    log.attempt().answer("done").finish()
    for number in range(3):
        log.prompt(f"question {number}").attempt().answer("answer").finish()
    return log


def _accepted(log: Log) -> Log:
    plan = plan_compaction(state_of(log.to_bytes()))
    assert plan is not None
    return log.compact(keep=len(plan.retained_entry_ids))


def _work(log: Log) -> SummaryWork:
    state = state_of(log.to_bytes())
    assert isinstance(state.operation, Compaction)
    return summary_work(state, state.operation)


@pytest.mark.requirement(113)
def test_the_request_holds_the_messages_before_the_cut() -> None:
    log = _history()
    context = state_of(log.to_bytes()).active_context
    work = _work(_accepted(log))
    [message] = work.messages
    assert message["role"] == "user"
    assert isinstance(message["content"], str)
    assert json.loads(message["content"]) == context[:4]
    for word in ("decisions", "files", "errors", "next steps"):
        assert word in work.system


@pytest.mark.requirement(123, 135)
def test_the_entry_keeps_the_tail_with_its_ids() -> None:
    log = _history()
    work = _work(_accepted(log))
    entry = work.entry("S")
    tail = [{"sourceEntryId": i, "message": message} for i, message in log.sources[4:]]
    assert entry["retainedTail"] == tail
    assert entry["compactedThroughEntryId"] == log.sources[3][0]


@pytest.mark.requirement(118)
def test_a_prior_summary_is_part_of_the_next_request() -> None:
    log = _accepted(_history()).attempt().summary("the first summary").finish()
    for _ in range(4):
        log.prompt().attempt().answer("x").finish()
    [message] = _work(_accepted(log)).messages
    assert isinstance(message["content"], str)
    first = json.loads(message["content"])[0]
    assert first == {"role": "user", "content": "[Compacted history]\nthe first summary"}


@pytest.mark.requirement(125)
def test_the_second_attempt_asks_for_the_same() -> None:
    first = _work(_accepted(_history()).attempt())
    assert _work(_accepted(_history()).attempt().retry()) == first


@pytest.mark.hazard("Abort or K9 during compaction")
def test_a_user_entry_that_came_in_between_changes_nothing() -> None:
    alone = _work(_accepted(_history()).attempt())
    assert _work(_accepted(_history()).user("next").attempt()) == alone
    assert _work(_accepted(_history()).attempt().user("next").user("more")) == alone


@pytest.mark.requirement(122)
@pytest.mark.parametrize(
    ("log", "summary"),
    [
        pytest.param(compacting(), "short", id="accepted"),
        pytest.param(summarising(), "short", id="attempting"),
        pytest.param(summarising().user("next"), "short", id="with a user entry"),
        pytest.param(summarising().summary("stored"), "stored", id="stored"),
    ],
)
def test_a_resumed_compaction_ends_completed(log: Log, summary: str) -> None:
    end = resume(log.to_bytes())
    places = [end.data.index(word) for word in ORDER]
    assert places == sorted(places)
    assert end.state.active_context[0]["content"] == f"[Compacted history]\n{summary}"


def test_a_partition_that_others_recorded_keeps_the_prior_summary() -> None:
    log = _accepted(_history()).attempt().summary("S").finish()
    [message] = _work(log.compact(keep=len(log.sources) - 1)).messages
    assert isinstance(message["content"], str)
    assert json.loads(message["content"])[0]["content"] == "[Compacted history]\nS"


@pytest.mark.hazard("Empty, null or reasoning-only summary")
@pytest.mark.parametrize(
    ("message", "stop", "usable"),
    [
        ({"role": "assistant", "content": "text"}, "stop", True),
        ({"role": "assistant", "content": " \n"}, "stop", False),
        ({"role": "assistant", "content": None}, "stop", False),
        ({"role": "assistant", "content": "text"}, "length", False),
        (CALLED, "stop", False),
        (CALLED, "toolUse", False),
    ],
)
def test_usable_summary(message: AssistantMessage, stop: StopReason, usable: bool) -> None:
    assert usable_summary(message, stop) == ("text" if usable else None)
