"""Sections 6.6 and 7.2: compactions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    READ,
    accepted_run,
    attempting,
    calling,
    compacting,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log
from tests.support.raw_log import DROP
from tests.support.wire import ZERO_DIGEST, object_at, sha256, uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, rows

from perdure.json_types import JsonObject

FACT = "INVALID_FACT"
DUPLICATE = "DUPLICATE_ID"
REFERENCE = "INVALID_REFERENCE"
TRANSITION = "INVALID_TRANSITION"
TRANSCRIPT = "INVALID_TRANSCRIPT"
UNKNOWN = uid("free", 1)
FIRST, SECOND = uid("entry", 1), uid("entry", 2)


def _start(path: str, value: object) -> Callable[[], Log]:
    return lambda: compacting().patch(f"record.{path}", value)


def _twice() -> Log:
    """Two prompts and answers, compacted; the next compaction may start."""
    log = finished_run().prompt("two").attempt().answer("two").finish()
    return log.compact(keep=2).attempt().summary().finish()


STARTED: list[Row] = [
    ("1 kind", _start("operationKind", "run"), TRANSITION),
    ("1 a run is unfinished", lambda: accepted_run().compact(keep=0), TRANSITION),
    ("2 operation used", _start("operationId", FIRST), DUPLICATE),
    ("3 input form", _start("inputThroughEntryId", "x"), FACT),
    ("3 before 4", lambda: _start("inputThroughEntryId", "x")()
     .patch("record.resultEntryId", FIRST), FACT),
    ("4 result form", _start("resultEntryId", None), FACT),
    ("4 result used", _start("resultEntryId", FIRST), DUPLICATE),
    ("4 result is the operation's id", _start("resultEntryId", uid("operation", 2)), DUPLICATE),
    ("5 input unknown", _start("inputThroughEntryId", UNKNOWN), REFERENCE),
    ("5 before 6", lambda: _start("inputThroughEntryId", UNKNOWN)()
     .patch("record.compactedEntryIds", []), REFERENCE),
    ("6 compacted empty", _start("compactedEntryIds", []), FACT),
    ("6 compacted missing", _start("compactedEntryIds", DROP), FACT),
    ("6 retained null", _start("retainedEntryIds", None), FACT),
    ("6 a member", _start("retainedEntryIds", ["x"]), FACT),
    ("7 one missing", _start("retainedEntryIds", []), REFERENCE),
    ("7 one too many", _start("retainedEntryIds", [SECOND, UNKNOWN]), REFERENCE),
    ("7 one twice", _start("retainedEntryIds", [FIRST, SECOND]), REFERENCE),
    ("7 the other way round", lambda: _start("compactedEntryIds", [SECOND])()
     .patch("record.retainedEntryIds", [FIRST]), REFERENCE),
    ("7 a compaction entry as input", lambda: _twice().compact(keep=2)
     .patch("record.inputThroughEntryId", uid("result", 1)), REFERENCE),
    ("7 before 8", lambda: _start("retainedEntryIds", [])().patch("record.sourceDigest", 0),
     REFERENCE),
    ("8 digest form", _start("sourceDigest", "sha256:"), FACT),
    ("9 digest", _start("sourceDigest", ZERO_DIGEST), REFERENCE),
]  # fmt: skip


def _entry(path: str, value: object) -> Callable[[], Log]:
    return lambda: summarising().summary().patch(path, value)


TAIL = "entry.retainedTail"
UNTHROUGH = "entry.compactedThroughEntryId"


def _long_tail() -> Log:
    """Source: prompt, answer with one call, its result, stop; all but the prompt retained."""
    log = tool_started(READ).result(0).attempt().answer("done").finish()
    return log.compact(keep=3).attempt().summary()


def _illegal_tail() -> Log:
    """Cut between a call and its result: the tail starts with the result."""
    log = tool_started(READ).result(0).attempt().answer("done").finish()
    return log.compact(keep=2).attempt().summary()


def _without(index: int) -> Log:
    log = _long_tail()
    tail = object_at(log.last_fact, "entry")["retainedTail"]
    assert isinstance(tail, list)
    del tail[index]
    return log


SETTLED: list[Row] = [
    ("1 fresh id", _entry("id", UNKNOWN), REFERENCE),
    ("1 id of a tool result", lambda: tool_started(READ).finish("failed").compact(keep=0)
     .attempt().summary().patch("id", uid("result", 1)), REFERENCE),
    ("1 before 2", lambda: _entry("id", UNKNOWN)().patch("entry.x", 1), REFERENCE),
    ("2 key", _entry("entry.message", {}), FACT),
    ("2 operation form", _entry("entry.operationId", "x"), FACT),
    ("3 operation unknown", _entry("entry.operationId", UNKNOWN), REFERENCE),
    ("3 operation finished", _entry("entry.operationId", uid("operation", 1)), TRANSITION),
    ("3 a run", lambda: summarising().failed().finish("failed").prompt().attempt().summary()
     .patch("id", uid("result", 1)), TRANSITION),
    ("4 of another compaction", lambda: summarising().finish("failed").compact(keep=1).attempt()
     .summary().patch("id", uid("result", 1)), REFERENCE),
    ("5 boundary form", _entry(UNTHROUGH, None), FACT),
    ("5 boundary unknown", _entry(UNTHROUGH, UNKNOWN), REFERENCE),
    ("6 summary", _entry("entry.summary", None), FACT),
    ("6 tail", _entry(TAIL, {}), FACT),
    ("7 boundary after the input", lambda: finished_run().compact(keep=1).attempt().user("new")
     .summary().patch(UNTHROUGH, uid("entry", 3)), REFERENCE),
    ("7 before 10", lambda: finished_run().compact(keep=0).attempt().user("new").summary()
     .patch(UNTHROUGH, uid("entry", 3)), REFERENCE),
    ("7 a compaction entry after the input", lambda: _twice().compact(keep=0).attempt().summary()
     .patch(UNTHROUGH, uid("result", 1)), REFERENCE),
    ("8 item", _entry(f"{TAIL}.0", "x"), FACT),
    ("8 item key", _entry(f"{TAIL}.0.id", 1), FACT),
    ("8 source id", _entry(f"{TAIL}.0.sourceEntryId", "x"), FACT),
    ("8 message", _entry(f"{TAIL}.0.message", {"role": "system", "content": "x"}), FACT),
    ("9 another id", _entry(f"{TAIL}.0.sourceEntryId", FIRST), REFERENCE),
    ("9 another message", _entry(f"{TAIL}.0.message", {"role": "assistant", "content": "x"}),
     REFERENCE),
    ("9 the middle is missing", lambda: _without(1), REFERENCE),
    ("8 and 9 item by item", lambda: _without(0).patch(f"{TAIL}.1", "x"), REFERENCE),
    ("9 too many", lambda: _long_tail().patch(UNTHROUGH, uid("entry", 2)), REFERENCE),
    ("10 the end is missing", lambda: _without(2), REFERENCE),
    ("10 the tail is empty", _entry(TAIL, []), REFERENCE),
    ("11 tail illegal", _illegal_tail, TRANSCRIPT),
    ("12 no attempt", lambda: compacting().summary(), TRANSITION),
    ("12 attempt failed", lambda: summarising().failed().summary(), TRANSITION),
    ("12 then attempt 2", lambda: summarising().summary().retry(), TRANSITION),
    ("12 settled already", lambda: summarising().summary().summary(), DUPLICATE),
]  # fmt: skip


@pytest.mark.requirement(119, 126)
@rows(STARTED)
def test_compaction_started(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(SETTLED)
def test_compaction_entry(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


LEGAL = {
    "all compacted, nothing retained": lambda: finished_run().compact(keep=0).attempt().summary(),
    "empty summary": lambda: summarising().summary(""),
    "attempt 2": lambda: summarising().retry().summary(),
    "an earlier input": lambda: (
        finished_run()
        .compact(keep=1)
        .patch("record.inputThroughEntryId", FIRST)
        .patch("record.retainedEntryIds", [])
        .patch("record.sourceDigest", sha256([{"sourceEntryId": FIRST, "message": _prompt()}]))
    ),
    "boundary of the tail other than the record's": lambda: (
        summarising().summary().patch(UNTHROUGH, SECOND).patch(TAIL, [])
    ),
    "keys of a message in another order": lambda: (
        summarising().summary().patch(f"{TAIL}.0.message", {"content": "done", "role": "assistant"})
    ),
    "a second compaction": lambda: _twice().compact(keep=1).attempt().summary().finish(),
    "a call left open by a failed run": lambda: (
        calling(READ).finish("failed").compact(keep=1).attempt().summary()
    ),
    "while nothing is unfinished": lambda: attempting().finish("failed").compact(keep=0),
}


def _prompt() -> JsonObject:
    return {"role": "user", "content": "do it"}


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_legal(make: Callable[[], Log]) -> None:
    assert_accepted(make())


@pytest.mark.requirement(16, 17, 123)
def test_the_context_is_replaced_and_the_transcript_kept() -> None:
    before = assert_accepted(summarising()).state
    state = assert_accepted(summarising().summary("short")).state
    assert state.transcript == before.transcript
    assert state.active_context[:] == [
        {"role": "user", "content": "[Compacted history]\nshort"},
        {"role": "assistant", "content": "done"},
    ]
    assert state.boundary == SECOND
    later = assert_accepted(summarising().summary("short").finish().user("next")).state
    assert later.active_context[:] == [*state.active_context, later.transcript[-1]]
    assert len(later.transcript) == 3


def test_the_boundary_goes_back_to_the_input() -> None:
    state = assert_accepted(summarising().user("meanwhile").summary()).state
    assert state.boundary == SECOND
    assert state.active_context[-1] == {"role": "assistant", "content": "done"}


@pytest.mark.requirement(17)
def test_until_the_entry_the_context_is_as_before() -> None:
    before = assert_accepted(finished_run()).state
    for log in (compacting(), summarising(), summarising().failed().finish("failed")):
        assert assert_accepted(log).state.active_context == before.active_context


@pytest.mark.requirement(119, 120, 135)
def test_a_summary_is_no_source_entry() -> None:
    state = assert_accepted(_twice()).state
    assert state.source_ids[:] == [uid("entry", number) for number in range(1, 5)]
    log = _twice()
    assert state.digests.of(2) == sha256(
        [{"sourceEntryId": i, "message": m} for i, m in log.sources[:2]]
    )
