"""The ledger: applying, taking back, forking, looking up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest
from tests.support.fixtures.stages import (
    BASH,
    READ,
    accepted_run,
    attempting,
    calling,
    finished_run,
    tool_started,
)
from tests.support.log import Log, session
from tests.support.wire import default_header, uid

from perdure.core.codec import NotEncodable, encode_line
from perdure.core.facts import Fact
from perdure.core.reducer import Corrupt, Ledger, Reduced, Refusal, load_ledger, reduce_session
from perdure.core.state import Run, SessionState

LONG = (
    tool_started(READ, BASH)
    .usage()
    .result(0)
    .usage(tool=0)
    .started(1)
    .interrupted(1)
    .attempt()
    .retry()
    .answer("done")
    .finish()
    .usage()
    .compact(keep=1)
    .attempt()
    .usage()
    .summary()
    .finish()
    .prompt("again")
    .attempt()
    .calls(READ)
    .synthetic(0, "unknownTool")
    .abort()
    .finish("aborted")
)
LINES = [encode_line(line) for line in LONG.lines]


def _ledger(log: Log) -> Ledger:
    ledger = load_ledger(log.to_bytes())
    assert isinstance(ledger, Ledger)
    return ledger


def _facts(log: Log) -> list[Fact]:
    line = log.lines[-1]
    return cast("list[Fact]", line if isinstance(line, list) else [line])


def _apply(ledger: Ledger, number: int) -> SessionState:
    line = LONG.lines[number]
    facts = line if isinstance(line, list) else [line]
    return ledger.apply(cast("list[Fact]", facts), length=len(LINES[number]))


def _reduce(lines: list[bytes]) -> SessionState:
    result = reduce_session(b"".join(lines))
    assert isinstance(result, Reduced)
    return result.state


def _start() -> Ledger:
    return Ledger.create(default_header(), length=len(LINES[0]))


@pytest.mark.requirement(11)
def test_fact_by_fact_is_the_same_as_the_whole_file() -> None:
    ledger = _start()
    assert ledger.state == _reduce(LINES[:1])
    for number in range(1, len(LINES)):
        assert _apply(ledger, number) == _reduce(LINES[: number + 1])
    assert ledger == load_ledger(b"".join(LINES))


def test_every_transaction_can_be_taken_back_alone_and_together() -> None:
    ledger = _start()
    marks = []
    images = []
    for number in range(1, len(LINES)):
        marks.append(ledger.mark())
        images.append(ledger.fork())
        _apply(ledger, number)
        ledger.rollback(marks[-1])
        assert _same(ledger, images[-1])
        _apply(ledger, number)
    for mark, image in zip(reversed(marks), reversed(images), strict=True):
        ledger.rollback(mark)
        assert _same(ledger, image)
    assert ledger == _start()


def test_after_taking_back_the_other_way_can_be_gone() -> None:
    ledger = _start()
    start = ledger.mark()
    for _ in range(3):
        for number in range(1, len(LINES)):
            _apply(ledger, number)
        ledger.rollback(start)
    for number in range(1, len(LINES)):
        _apply(ledger, number)
    assert ledger.state == _reduce(LINES)


def test_one_mark_serves_many_rollbacks() -> None:
    ledger = _ledger(calling(READ, BASH))
    mark, image = ledger.mark(), ledger.fork()
    for log in (tool_started(READ, BASH), calling(READ, BASH).synthetic(0, "aborted")):
        ledger.apply(_facts(log), length=1)
        ledger.rollback(mark)
        assert _same(ledger, image)


def test_states_given_out_do_not_change() -> None:
    ledger = _start()
    given = []
    for number in range(1, len(LINES)):
        given.append(_apply(ledger, number))
    for number, state in enumerate(given, start=2):
        assert state == _reduce(LINES[:number])


def test_the_state_at_a_mark_is_known_later() -> None:
    ledger = _start()
    marks = []
    for number in range(1, len(LINES)):
        marks.append(ledger.mark())
        _apply(ledger, number)
    for number, mark in enumerate(marks, start=1):
        assert ledger.state_at(mark) == _reduce(LINES[:number])


def test_forks_go_their_own_ways() -> None:
    ledger = _ledger(calling(READ, BASH))
    left, right = ledger.fork(), ledger.fork()
    left.apply(_facts(tool_started(READ, BASH)), length=1)
    right.apply(_facts(calling(READ, BASH).synthetic(1, "aborted")), length=1)
    assert ledger == _ledger(calling(READ, BASH))
    assert isinstance(left.state.operation, Run)
    assert len(left.state.operation.intents) == 1
    assert left.unanswered == {"call_1", "call_2"}
    assert right.unanswered == {"call_1"}


@pytest.mark.parametrize("value", [{}, None, [], {**default_header(), "version": 3}], ids=str)
def test_a_ledger_needs_a_header(value: object) -> None:
    with pytest.raises(Refusal):
        Ledger.create(value, length=3)  # type: ignore[arg-type]


def test_a_refused_transaction_reports_the_seq_and_leaves_no_trace() -> None:
    ledger = _ledger(attempting())
    before = ledger.fork()
    log = attempting().answer("done").finish().patch("record.completion", "truncated").joined(2)
    with pytest.raises(Refusal) as caught:
        ledger.apply(_facts(log), length=1)
    assert (caught.value.code, caught.value.seq) == ("INVALID_REFERENCE", 5)
    assert _same(ledger, before)


def test_what_is_no_json_leaves_no_trace_either() -> None:
    ledger = _ledger(accepted_run().user("x"))
    ledger.apply(_facts(accepted_run().user("x").user("\ud800")), length=1)
    ledger.apply(_facts(_terminal(ledger)), length=1)
    before = ledger.fork()
    with pytest.raises(NotEncodable):
        ledger.apply(_facts(_compaction(ledger)), length=1)
    assert _same(ledger, before)


def _terminal(ledger: Ledger) -> Log:
    log = accepted_run().finish("failed")
    return log.patch("seq", ledger.state.next_seq)


def _compaction(ledger: Ledger) -> Log:
    ids = ledger.state.source_ids[:]
    log = finished_run().compact(keep=1).patch("seq", ledger.state.next_seq)
    log.patch("id", uid("free", 1)).patch("record.compactedEntryIds", ids)
    log.patch("record.retainedEntryIds", [])
    return log.patch("record.inputThroughEntryId", ids[-1])


def test_look_ups() -> None:
    ledger = _ledger(tool_started(READ).result(0))
    answer = ledger.entry(uid("entry", 2))
    assert answer is not None
    assert answer.has_message
    assert (answer.position, answer.sources, answer.stop_reason) == (1, 2, "toolUse")
    assert (answer.step_id, answer.attempt_id) == (uid("step", 1), uid("attempt", 1))
    result = ledger.entry(uid("result", 1))
    assert result is not None
    assert result.operation_id == uid("operation", 1)
    assert ledger.entry(uid("step", 1)) is None
    run = ledger.state.operation
    assert isinstance(run, Run)
    intent = ledger.intent(run.intents[0].tool_started_id)
    assert intent is not None
    assert intent.result_entry_id == run.intents[0].result_entry_id
    assert ledger.intent(uid("free", 1)) is None
    assert ledger.line_count == 6


def test_states_know_what_the_planner_and_the_store_need() -> None:
    state = _reduce(LINES[:1])
    assert (state.boundary, state.next_seq, state.last_timestamp) == (None, 1, 0)
    state = _ledger(finished_run()).state
    assert (state.boundary, state.next_seq) == (uid("entry", 2), 6)
    assert state.last_timestamp == finished_run().last_fact["timestamp"]


def test_pending_intents_are_those_without_result() -> None:
    pending = [_pending(log) for log in _progress()]
    assert pending == [1, 2, 1, 0]


def _progress() -> Iterator[Log]:
    yield tool_started(READ, BASH)
    yield tool_started(READ, BASH).started(1)
    yield tool_started(READ, BASH).started(1).result(1)
    yield tool_started(READ, BASH).started(1).result(1).interrupted(0)


def _pending(log: Log) -> int:
    run = _ledger(log).state.operation
    assert isinstance(run, Run)
    return len(run.pending)


def test_load_reports_the_offset() -> None:
    good = session().to_bytes()
    assert load_ledger(good + b"[]\n") == Corrupt("EMPTY_TRANSACTION", 2, len(good))


def _same(ledger: Ledger, other: Ledger) -> bool:
    """Compare everything, the order of insertion included."""
    return ledger == other and repr(ledger) == repr(other)
