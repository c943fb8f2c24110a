"""Sections 7.1, 7.5, 7.6 and 8: operations, intents, aborts, usage."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    BASH,
    READ,
    accepted_run,
    attempting,
    calling,
    compacting,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log, session
from tests.support.raw_log import DROP
from tests.support.wire import uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, rows

from perdure.core.scalars import MAX_INTEGER

FACT = "INVALID_FACT"
DUPLICATE = "DUPLICATE_ID"
REFERENCE = "INVALID_REFERENCE"
TRANSITION = "INVALID_TRANSITION"
UNKNOWN = uid("free", 1)


def _run() -> Log:
    return session().user("x").run()


RUN_STARTED: list[Row] = [
    ("1 kind", lambda: _run().patch("record.operationKind", "compaction"), TRANSITION),
    ("1 kind missing", lambda: _run().patch("record.operationKind", DROP), TRANSITION),
    ("1 a run is unfinished", lambda: accepted_run().run(), TRANSITION),
    ("1 a compaction is unfinished", lambda: compacting().run(), TRANSITION),
    ("1 before 2", lambda: accepted_run().run().patch("record.operationId", 0), TRANSITION),
    ("2 form", lambda: _run().patch("record.operationId", "x"), FACT),
    ("2 used", lambda: _run().patch("record.operationId", uid("entry", 1)), DUPLICATE),
    ("2 reserved", lambda: finished_run().run().patch("record.operationId", uid("step", 1)),
     DUPLICATE),
    ("2 before 3", lambda: _run().patch("record.operationId", uid("entry", 1))
     .patch("record.inputEntryId", 0), DUPLICATE),
    ("3 form", lambda: _run().patch("record.inputEntryId", "x"), FACT),
    ("4 unknown", lambda: _run().patch("record.inputEntryId", UNKNOWN), REFERENCE),
    ("4 an answer", lambda: finished_run().run(), REFERENCE),
]  # fmt: skip

LIVE: list[Row] = [
    ("form", lambda: attempting().patch("record.operationId", "x"), FACT),
    ("unknown", lambda: attempting().patch("record.operationId", UNKNOWN), REFERENCE),
    ("not an operation", lambda: attempting().patch("record.operationId", uid("entry", 1)),
     REFERENCE),
    ("finished", lambda: finished_run().attempt(), TRANSITION),
    ("stepFailed", lambda: finished_run().failed(), TRANSITION),
    ("toolStarted", lambda: calling(READ).finish("failed").started(0), TRANSITION),
    ("abortRequested", lambda: finished_run().abort(), TRANSITION),
    ("operationFinished", lambda: finished_run().finish(), TRANSITION),
    ("an earlier one", lambda: finished_run().prompt().attempt()
     .patch("record.operationId", uid("operation", 1)), TRANSITION),
]  # fmt: skip


def _started(path: str, value: object) -> Callable[[], Log]:
    return lambda: tool_started(READ, BASH).patch(f"record.{path}", value)


TOOL_STARTED: list[Row] = [
    ("1 in a compaction", lambda: calling(READ).finish("failed").compact(keep=1)
     .started(0), TRANSITION),
    ("2 entry form", _started("assistantEntryId", "x"), FACT),
    ("3 entry unknown", _started("assistantEntryId", UNKNOWN), REFERENCE),
    ("3 the prompt", _started("assistantEntryId", uid("entry", 1)), REFERENCE),
    ("3 after length", lambda: attempting().answer("x", READ, stop="length").started(0),
     REFERENCE),
    ("3 before 4", lambda: _started("assistantEntryId", UNKNOWN)().patch("record.toolIndex", ""),
     REFERENCE),
    ("4 index", _started("toolIndex", -1), FACT),
    ("4 call id", _started("toolCallId", ""), FACT),
    ("4 name", _started("toolName", None), FACT),
    ("5 index beyond", _started("toolIndex", 2), REFERENCE),
    ("5 call id", _started("toolCallId", "call_2"), REFERENCE),
    ("5 name", _started("toolName", "bash"), REFERENCE),
    ("5 step", _started("stepId", UNKNOWN), REFERENCE),
    ("6 started", lambda: tool_started(READ).started(0), TRANSITION),
    ("6 answered", lambda: tool_started(READ).result(0).started(0), TRANSITION),
    ("6 synthetic", lambda: calling(READ).synthetic(0, "unknownTool").started(0), TRANSITION),
    ("6 before 7", lambda: tool_started(READ).started(0).patch("record.arguments", 0),
     TRANSITION),
    ("7 arguments", _started("arguments", "{}"), FACT),
    ("7 replay", _started("replay", "always"), FACT),
    ("7 replay key", _started("replayKey", ""), FACT),
    ("7 environment", _started("environmentIdentity", ""), FACT),
    ("7 before 8", lambda: attempting().calls(("grep", {})).started(0)
     .patch("record.environmentIdentity", None), FACT),
    ("8 not declared", lambda: attempting().calls(("grep", {})).started(0), TRANSITION),
    ("8 before 9", lambda: attempting().calls(("grep", {})).started(0)
     .patch("record.resultEntryId", "x"), TRANSITION),
    ("9 result form", _started("resultEntryId", "x"), FACT),
    ("9 result used", _started("resultEntryId", uid("entry", 1)), DUPLICATE),
    ("9 result reserved", lambda: tool_started(READ, BASH).started(1)
     .patch("record.resultEntryId", uid("result", 1)), DUPLICATE),
]  # fmt: skip

ABORT: list[Row] = [
    ("2 kind", lambda: attempting().abort().patch("record.operationKind", "compaction"),
     TRANSITION),
    ("2 reason", lambda: attempting().abort().patch("record.reason", "signal"), TRANSITION),
    ("3 phase", lambda: attempting().abort("wait"), FACT),
    ("4 tool without call", lambda: tool_started(READ).abort("tool"), FACT),
    ("4 model with call", lambda: tool_started(READ).abort("model", call=0), FACT),
    ("4 call null", lambda: tool_started(READ).abort("tool").patch("record.toolCallId", None),
     FACT),
    ("5 twice", lambda: attempting().abort().abort(), TRANSITION),
    ("4 before 5", lambda: attempting().abort().abort("tool"), FACT),
]  # fmt: skip

USAGE: list[Row] = [
    ("1 key", lambda: attempting().usage().patch("cost", 1), FACT),
    ("2 form", lambda: attempting().usage().patch("operationId", DROP), FACT),
    ("2 unknown", lambda: attempting().usage().patch("operationId", UNKNOWN), REFERENCE),
    ("3 neither", lambda: attempting().usage().patch("attemptId", DROP), FACT),
    ("3 both", lambda: tool_started(READ).usage().patch("toolStartedId", UNKNOWN), FACT),
    ("3 null is present", lambda: tool_started(READ).usage().patch("toolStartedId", None), FACT),
    ("4 form", lambda: attempting().usage().patch("attemptId", "x"), FACT),
    ("4 unknown attempt", lambda: attempting().usage().patch("attemptId", UNKNOWN), REFERENCE),
    ("4 unknown intent", lambda: tool_started(READ).usage(tool=0)
     .patch("toolStartedId", UNKNOWN), REFERENCE),
    ("4 of another operation", lambda: finished_run().prompt().usage(), REFERENCE),
    ("4 before 5", lambda: attempting().usage().patch("attemptId", UNKNOWN).patch("usage", 0),
     REFERENCE),
    ("5 key", lambda: attempting().usage().patch("usage.total", 1), FACT),
    ("5 missing", lambda: attempting().usage().patch("usage.input", DROP), FACT),
    ("5 negative", lambda: attempting().usage().patch("usage.cacheRead", -1), FACT),
    ("5 a fraction", lambda: attempting().usage().patch("usage.output", 1.0), FACT),
    ("5 too large", lambda: attempting().usage(output=MAX_INTEGER + 1), FACT),
    ("6 overflow", lambda: attempting().usage(output=MAX_INTEGER).usage(output=1), FACT),
]  # fmt: skip


@rows([*RUN_STARTED, *LIVE])
def test_operation(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@pytest.mark.requirement(43)
@rows(TOOL_STARTED)
def test_tool_started(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(ABORT)
def test_abort_requested(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(USAGE)
def test_usage(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


LEGAL = {
    "an old prompt again": lambda: finished_run().run()
    .patch("record.inputEntryId", uid("entry", 1)),
    "abort in a tool": lambda: tool_started(READ).abort("tool", call=0),
    "abort in a compaction": lambda: summarising().abort("compact"),
    "usage of an intent": lambda: tool_started(READ).usage(tool=0),
    "usage after the terminal": lambda: finished_run().usage(),
    "usage up to the limit": lambda: attempting().usage(output=MAX_INTEGER - 1).usage(output=1),
}  # fmt: skip


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_legal(make: Callable[[], Log]) -> None:
    assert_accepted(make())
