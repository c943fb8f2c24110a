"""Section 7.7, and what section 13 leaves to the store."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    READ,
    accepted_run,
    attempting,
    calling,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log
from tests.support.raw_log import DROP
from tests.support.wire import uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, judge, rows

from perdure.core.reducer import Corrupt

FACT = "INVALID_FACT"
REFERENCE = "INVALID_REFERENCE"
TRANSITION = "INVALID_TRANSITION"
TRANSCRIPT = "INVALID_TRANSCRIPT"
FINAL = "record.finalEntryId"
COMPLETION = "record.completion"


def _summarised() -> Log:
    return summarising().summary().finish()


def _aborted() -> Log:
    return attempting().abort().failed().finish("aborted")


def _two_step_run() -> Log:
    """Call a tool, then stop; entry 2 is the call, entry 3 the stop."""
    return tool_started(READ).result(0).attempt().answer("done").finish()


RUN: list[Row] = [
    ("2 kind", lambda: finished_run().patch("record.operationKind", "compaction"), TRANSITION),
    ("2 outcome", lambda: finished_run().patch("record.outcome", "done"), TRANSITION),
    ("2 outcome an array", lambda: finished_run().patch("record.outcome", []), TRANSITION),
    ("3c completion missing", lambda: finished_run().patch(COMPLETION, DROP), FACT),
    ("3c completion", lambda: finished_run().patch(COMPLETION, "full"), FACT),
    ("4c final missing", lambda: finished_run().patch(FINAL, DROP), FACT),
    ("5c unknown", lambda: finished_run().patch(FINAL, uid("free", 1)), REFERENCE),
    ("5c the prompt", lambda: finished_run().patch(FINAL, uid("entry", 1)), REFERENCE),
    ("5c of another run", lambda: finished_run().prompt().attempt().answer("x").finish()
     .patch(FINAL, uid("entry", 2)), REFERENCE),
    ("5c a compaction entry", lambda: _summarised().prompt().attempt().answer("x").finish()
     .patch(FINAL, uid("result", 1)), REFERENCE),
    ("6c normal after length", lambda: attempting().answer("x", READ, stop="length")
     .finish().patch(COMPLETION, "normal"), REFERENCE),
    ("6c truncated after stop", lambda: finished_run().patch(COMPLETION, "truncated"), REFERENCE),
    ("6c after tool use", lambda: calling(READ).finish(), REFERENCE),
    ("6c a tool entry", lambda: _two_step_run().patch(FINAL, uid("result", 1)), REFERENCE),
    ("7c of an earlier step", lambda: _two_step_run().patch(FINAL, uid("entry", 2)), REFERENCE),
    ("8c blank", lambda: attempting().answer(" \n\t\ufeff\u00a0").finish(), TRANSCRIPT),
    ("8c null", lambda: attempting().answer(None).finish(), TRANSCRIPT),
    ("8c truncated without calls", lambda: attempting().answer("x", stop="length").finish(),
     TRANSCRIPT),
    ("10 aborted with completion", lambda: _aborted().patch(COMPLETION, "normal"), FACT),
    ("11 completed with error", lambda: finished_run().patch("record.error", None), FACT),
    ("11 aborted with error", lambda: _aborted()
     .patch("record.error", {"code": "x", "message": "y"}), FACT),
    ("3a with final", lambda: _aborted().patch(FINAL, uid("entry", 1)), TRANSITION),
    ("3a no abort", lambda: attempting().failed().finish("aborted"), TRANSITION),
    ("3a pending intent", lambda: tool_started(READ).abort("tool", call=0).finish("aborted"),
     TRANSITION),
    ("3a open attempt", lambda: attempting().abort().finish("aborted"), TRANSITION),
    ("3f with final", lambda: accepted_run().finish("failed").patch(FINAL, None), FACT),
    ("10 failed with completion", lambda: accepted_run().finish("failed")
     .patch(COMPLETION, "normal"), FACT),
    ("11 failed without error", lambda: accepted_run().finish("failed")
     .patch("record.error", DROP), FACT),
    ("11 error key", lambda: accepted_run().finish("failed").patch("record.error.x", 1), FACT),
]  # fmt: skip

COMPACTION: list[Row] = [
    ("3c completion", lambda: _summarised().patch(COMPLETION, "normal"), FACT),
    ("4c final", lambda: _summarised().patch(FINAL, None), FACT),
    ("5c unknown", lambda: _summarised().patch(FINAL, uid("free", 1)), REFERENCE),
    ("5c a message", lambda: _summarised().patch(FINAL, uid("entry", 1)), REFERENCE),
    ("5c not yet there", lambda: summarising().finish(), REFERENCE),
    ("5c of an earlier compaction", lambda: _summarised().compact(keep=1).attempt().summary()
     .finish().patch(FINAL, uid("result", 1)), REFERENCE),
    ("3a open attempt", lambda: summarising().abort("compact").finish("aborted"), TRANSITION),
]  # fmt: skip


@rows(RUN)
def test_terminal_of_a_run(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


def test_a_pending_intent_is_found_before_the_end_of_the_line() -> None:
    log = calling(READ).attempt().started(0).answer("done").finish().usage().joined(3)
    result = judge(log.to_bytes())
    assert isinstance(result, Corrupt)
    assert (result.code, result.seq) == (TRANSCRIPT, log.seq - 1)


@rows(COMPACTION)
def test_terminal_of_a_compaction(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


LEGAL = {
    "completed": _two_step_run,
    "truncated": lambda: (
        attempting().answer("x", READ, stop="length").synthetic(0, "truncated").finish()
    ),
    "aborted without a step": lambda: accepted_run().abort().finish("aborted"),
    "aborted after the attempt closed": _aborted,
    "aborted with its calls answered": lambda: (
        tool_started(READ).abort("tool", call=0).interrupted(0).finish("aborted")
    ),
    "aborted compaction": lambda: summarising().abort("compact").failed().finish("aborted"),
    "failed at any time": lambda: accepted_run().finish("failed"),
    "failed compaction": lambda: summarising().failed().finish("failed"),
    "completed compaction": _summarised,
}


@pytest.mark.requirement(18)
@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_a_terminal_leaves_the_session_idle(make: Callable[[], Log]) -> None:
    log = make()
    assert assert_accepted(log).state.operation.kind == "idle"
    log.lines.pop()
    log.seq -= 1
    assert assert_accepted(log).state.operation.kind != "idle"


HOLES = {
    "H1": lambda: calling(READ).abort().finish("aborted"),
    "H2": lambda: attempting().answer("x", READ, stop="length").finish(),
    "H3": lambda: calling(READ).attempt(),
    "H4": lambda: attempting().answer("done").abort().finish(),
    "H5 answer": lambda: attempting().abort().answer("late"),
    "H5 result": lambda: tool_started(READ).abort("tool", call=0).result(0),
    "H5 attempt": lambda: tool_started(READ).result(0).abort().attempt(),
    "H5 intent": lambda: calling(READ).abort().started(0),
    "H6 open attempt": lambda: attempting().finish("failed"),
    "H6 pending intent": lambda: tool_started(READ).finish("failed"),
    "H7": lambda: finished_run().run().patch("record.inputEntryId", uid("entry", 1)),
    "H8": lambda: finished_run().compact(keep=1).user("newer").attempt()
    .patch("record.contextThroughEntryId", uid("entry", 3)).summary().finish(),
}  # fmt: skip


@pytest.mark.parametrize("make", HOLES.values(), ids=HOLES.keys())
def test_what_only_the_store_refuses(make: Callable[[], Log]) -> None:
    assert_accepted(make())
