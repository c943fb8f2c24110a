"""Sections 6.4 and 6.5: tool results."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    BASH,
    READ,
    calling,
    tool_started,
)
from tests.support.log import Log
from tests.support.raw_log import DROP
from tests.support.wire import TEXTS, uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, rows

FACT = "INVALID_FACT"
REFERENCE = "INVALID_REFERENCE"
TRANSITION = "INVALID_TRANSITION"
TRANSCRIPT = "INVALID_TRANSCRIPT"
MESSAGE = "entry.message"


def _result() -> Log:
    return tool_started(READ, BASH).result(0)


def _interrupted() -> Log:
    return tool_started(READ, BASH).interrupted(0)


STARTED: list[Row] = [
    ("1 unknown key", lambda: _result().patch("entry.attemptId", uid("attempt", 1)), FACT),
    ("1 result an array", lambda: _result().patch("entry.result", []), FACT),
    ("1 result key", lambda: _result().patch("entry.result.code", 1), FACT),
    ("1 toolName empty", lambda: _result().patch("entry.toolName", ""), FACT),
    ("1 before 2", lambda: _result().patch("id", uid("free", 1)).patch("entry.stepId", 0), FACT),
    ("2 fresh id", lambda: _result().patch("id", uid("free", 1)), REFERENCE),
    ("2 identity id", lambda: _result().patch("id", uid("step", 1)), REFERENCE),
    ("2 before 3", lambda: _result().patch("id", uid("free", 1)).patch("entry.result", {}),
     REFERENCE),
    ("3 type", lambda: _result().patch("entry.result.type", "ok"), FACT),
    ("4 reason of form B", lambda: _interrupted().patch("entry.result.reason", "aborted"), FACT),
    ("4 no reason", lambda: _interrupted().patch("entry.result.reason", DROP), FACT),
    ("5 text", lambda: _interrupted().patch(f"{MESSAGE}.content", "x"), TRANSCRIPT),
    ("5 before 7", lambda: _interrupted().patch(f"{MESSAGE}.content", "x")
     .patch("entry.toolStartedId", 0), TRANSCRIPT),
    ("6 reason null is present", lambda: _result().patch("entry.result.reason", None), FACT),
    ("7 intent id", lambda: _result().patch("entry.toolStartedId", "x"), FACT),
    ("8 intent unknown", lambda: _result().patch("entry.toolStartedId", uid("free", 1)),
     REFERENCE),
    ("8 another step", lambda: _result().patch("entry.stepId", uid("free", 1)), REFERENCE),
    ("8 another intent's id", lambda: tool_started(READ, BASH).started(1).result(1)
     .patch("id", uid("result", 1)), REFERENCE),
    ("8 another call", lambda: _result().patch(f"{MESSAGE}.tool_call_id", "call_2"), REFERENCE),
    ("8 another name", lambda: _result().patch("entry.toolName", "bash"), REFERENCE),
    ("answered already", lambda: _result().result(0), "DUPLICATE_ID"),
]  # fmt: skip


def _unstarted() -> Log:
    return calling(READ, BASH).synthetic(0, "aborted")


def _of_the_prompt() -> Log:
    return _unstarted().patch("entry.assistantEntryId", uid("entry", 1))


UNSTARTED: list[Row] = [
    ("1 intent id", lambda: _unstarted().patch("entry.toolStartedId", uid("free", 1)), FACT),
    ("1 only the index", lambda: _result().patch("entry.toolIndex", 0), FACT),
    ("1 only the entry", lambda: _result().patch("entry.assistantEntryId", uid("entry", 2)), FACT),
    ("2 success", lambda: _unstarted().patch("entry.result", {"type": "success"}), FACT),
    ("3 interrupted", lambda: _unstarted().patch("entry.result.reason", "interrupted"), FACT),
    ("3 an array", lambda: _unstarted().patch("entry.result.reason", ["aborted"]), FACT),
    ("4 entry id", lambda: _unstarted().patch("entry.assistantEntryId", None), FACT),
    ("4 index", lambda: _unstarted().patch("entry.toolIndex", -1), FACT),
    ("4 index a fraction", lambda: _unstarted().patch("entry.toolIndex", 0.0), FACT),
    ("5 entry unknown", lambda: _unstarted().patch("entry.assistantEntryId", uid("free", 1)),
     REFERENCE),
    ("5 user entry", _of_the_prompt, REFERENCE),
    ("5 another step", lambda: _unstarted().patch("entry.stepId", uid("free", 1)), REFERENCE),
    ("5 run finished", lambda: calling(READ).finish("failed").synthetic(0, "aborted"), REFERENCE),
    ("5 of an earlier run", lambda: calling(READ).finish("failed").run()
     .patch("record.inputEntryId", uid("entry", 1)).synthetic(0, "aborted"), REFERENCE),
    ("6 index beyond", lambda: _unstarted().patch("entry.toolIndex", 2), REFERENCE),
    ("6 another call", lambda: _unstarted().patch("entry.toolIndex", 1), REFERENCE),
    ("6 another name", lambda: _unstarted().patch("entry.toolName", "bash"), REFERENCE),
    ("7 started", lambda: tool_started(READ).synthetic(0, "aborted"), TRANSITION),
    ("7 answered", lambda: _unstarted().synthetic(0, "aborted"), TRANSITION),
    ("7 before 8", lambda: _unstarted().synthetic(0, "aborted").patch(f"{MESSAGE}.content", ""),
     TRANSITION),
    ("8 text of another reason", lambda: _unstarted().patch(f"{MESSAGE}.content",
     TEXTS["truncated"]), TRANSCRIPT),
]  # fmt: skip


@rows(STARTED)
def test_result_of_a_started_tool(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(UNSTARTED)
def test_result_of_a_tool_never_started(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@pytest.mark.requirement(73, 74, 75)
@pytest.mark.parametrize("reason", ["invalidArguments", "unknownTool", "truncated", "aborted"])
def test_every_reason_of_form_b_with_its_text_only(reason: str) -> None:
    assert_accepted(calling(READ).synthetic(0, reason))
    wrong = calling(READ).synthetic(0, reason).patch(f"{MESSAGE}.content", TEXTS[reason] + " ")
    assert_refused(wrong, TRANSCRIPT)


LEGAL = {
    "an empty result": lambda: tool_started(READ).result(0, ""),
    "an error": lambda: tool_started(READ).result(0, "Error: no", kind="error"),
    "a reason that does not fit": lambda: calling(READ).synthetic(0, "truncated"),
    "results out of order": lambda: calling(READ, BASH).started(1).result(1).started(0).result(0),
    "results after the run failed": lambda: tool_started(READ).finish("failed").result(0),
}


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_legal(make: Callable[[], Log]) -> None:
    assert_accepted(make())
