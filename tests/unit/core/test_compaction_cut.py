"""Where the active context is cut, and what a compaction records (section 19)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fixtures.stages import BASH, READ, summarising
from tests.support.log import CallSpec, Log, session
from tests.support.resume import state_of

from perdure.core.canonical import digest
from perdure.core.compaction import KEPT_MESSAGES, find_cut, plan_compaction
from perdure.core.messages import Message, calls_of

ROLES: dict[str, Message] = {
    "u": {"role": "user", "content": "x"},
    "a": {"role": "assistant", "content": "x"},
    "t": {"role": "tool", "content": "x", "tool_call_id": "c"},
}


@pytest.mark.requirement(116, 117)
@pytest.mark.parametrize(
    ("roles", "cut"),
    [
        ("", 0),
        ("ua", 0),
        ("uauaua", 0),
        ("uauauau", 0),
        ("uauauaua", 2),
        ("uauauauau", 2),
        ("uauauauaua", 4),
        ("uatatatatata", 0),
        ("uauatatatatata", 2),
        ("uuuuuuuuu", 3),
        ("auauauau", 1),
        ("aaaaaaaaaa", 0),
    ],
)
def test_cut(roles: str, cut: int) -> None:
    assert find_cut([ROLES[role] for role in roles]) == cut


def _turns(count: int) -> Log:
    log = session()
    for number in range(count):
        log.prompt(f"question {number}").attempt().answer(f"answer {number}").finish()
    return log


@pytest.mark.requirement(119)
def test_partition() -> None:
    log = _turns(5)
    plan = plan_compaction(state_of(log.to_bytes()))
    assert plan is not None
    ids = [source for source, _ in log.sources]
    assert plan.compacted_entry_ids == tuple(ids[:4])
    assert plan.retained_entry_ids == tuple(ids[4:])
    assert plan.input_through_entry_id == ids[-1]
    sources = [{"sourceEntryId": i, "message": message} for i, message in log.sources]
    assert plan.source_digest == digest(sources)


@pytest.mark.parametrize("turns", [0, 1, 3])
@pytest.mark.requirement(117)
def test_nothing_to_compact(turns: int) -> None:
    assert plan_compaction(state_of(_turns(turns).to_bytes())) is None


@pytest.mark.requirement(118, 120)
def test_a_prior_summary_is_cut_but_no_source_entry() -> None:
    log = summarising().summary("first").finish()
    for number in range(4):
        log.prompt(f"question {number}").attempt().answer("answer").finish()
    state = state_of(log.to_bytes())
    plan = plan_compaction(state)
    assert plan is not None
    ids = [source for source, _ in log.sources]
    assert plan.compacted_entry_ids + plan.retained_entry_ids == tuple(ids)
    assert len(plan.retained_entry_ids) == 6
    assert state.active_context[0]["content"] == "[Compacted history]\nfirst"


CALLS: st.SearchStrategy[list[CallSpec]] = st.lists(st.sampled_from([READ, BASH]), max_size=3)


@st.composite
def histories(draw: st.DrawFn) -> Log:
    """Draw an idle session: prompts, calls with results, compactions, stray user entries."""
    log = session()
    for _ in range(draw(st.integers(1, 5))):
        log.prompt()
        for calls in draw(st.lists(CALLS.filter(bool), max_size=3)):
            log.attempt().calls(*calls)
            for index in draw(st.permutations(range(len(calls)))):
                log.started(index).result(index)
        log.attempt().answer("done").finish()
        if draw(st.booleans()):
            log.user("by the way")
        if draw(st.integers(0, 4)) == 0:
            _compact(log)
    return log


def _compact(log: Log) -> None:
    plan = plan_compaction(state_of(log.to_bytes()))
    if plan is not None:
        log.compact(keep=len(plan.retained_entry_ids)).attempt().summary().finish()


@pytest.mark.requirement(72, 116, 117, 121)
@pytest.mark.hazard("Fuzz histories × cut points: never between a call and its result")
@settings(max_examples=60)
@given(histories())
def test_no_cut_parts_a_call_from_its_result(log: Log) -> None:
    state = state_of(log.to_bytes())
    plan = plan_compaction(state)
    if plan is None:
        return
    kept = state.active_context[find_cut(state.active_context) :]
    retained = state.transcript[len(plan.compacted_entry_ids) :]
    assert kept == retained
    assert len(kept) >= KEPT_MESSAGES
    assert kept[0]["role"] == "user"
    called = {call["id"] for message in kept for call in calls_of(message)}
    answered = {message["tool_call_id"] for message in kept if message["role"] == "tool"}
    assert called == answered
    log.compact(keep=len(plan.retained_entry_ids)).attempt().summary().finish()
    assert state_of(log.to_bytes()).active_context[1:] == kept
