"""Sections 6.1 to 6.3 and 9: messages, answers, and their order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    BASH,
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
MESSAGE = "entry.message"
CALL = "entry.message.tool_calls.0"


def _user() -> Log:
    return accepted_run().user("more")


def _stop() -> Log:
    return attempting().answer("done")


MESSAGES: list[Row] = [
    ("entry type", lambda: _user().patch("entry.type", "note"), FACT),
    ("message missing", lambda: _user().patch(MESSAGE, DROP), FACT),
    ("message an array", lambda: _user().patch(MESSAGE, []), FACT),
    ("role system", lambda: _user().patch(f"{MESSAGE}.role", "system"), FACT),
    ("role an array", lambda: _user().patch(f"{MESSAGE}.role", ["user"]), FACT),
    ("user empty", lambda: _user().patch(f"{MESSAGE}.content", ""), FACT),
    ("user null", lambda: _user().patch(f"{MESSAGE}.content", None), FACT),
    ("user unknown key", lambda: _user().patch(f"{MESSAGE}.name", "me"), FACT),
    ("user entry with step", lambda: _user().patch("entry.stepId", uid("step", 1)), FACT),
    ("user id reserved", lambda: _user().patch("id", uid("operation", 1)), "DUPLICATE_ID"),
    ("6.2 reserved before keys", lambda: _user().patch("id", uid("operation", 1))
     .patch("entry.stepId", 1), "DUPLICATE_ID"),
    ("assistant content missing", lambda: _stop().patch(f"{MESSAGE}.content", DROP), FACT),
    ("assistant content number", lambda: _stop().patch(f"{MESSAGE}.content", 1), FACT),
    ("calls null", lambda: _stop().patch(f"{MESSAGE}.tool_calls", None), FACT),
    ("calls empty", lambda: calling().patch(f"{MESSAGE}.tool_calls", []), FACT),
    ("call a string", lambda: calling().patch(CALL, "read"), FACT),
    ("call unknown key", lambda: calling().patch(f"{CALL}.index", 0), FACT),
    ("call type", lambda: calling().patch(f"{CALL}.type", "custom"), FACT),
    ("call function missing", lambda: calling().patch(f"{CALL}.function", DROP), FACT),
    ("function unknown key", lambda: calling().patch(f"{CALL}.function.strict", True), FACT),
    ("call id empty", lambda: calling().patch(f"{CALL}.id", ""), FACT),
    ("name empty", lambda: calling().patch(f"{CALL}.function.name", ""), FACT),
    ("arguments an object", lambda: calling().patch(f"{CALL}.function.arguments", {}), FACT),
    ("call ids twice", lambda: calling().patch(f"{CALL}.id", "call_2"), TRANSCRIPT),
    ("shape of all calls before ids", lambda: calling().patch(f"{CALL}.id", "call_2")
     .patch(f"{MESSAGE}.tool_calls.1.type", ""), FACT),
    ("tool content null", lambda: tool_started().result(0).patch(f"{MESSAGE}.content", None),
     FACT),
    ("tool call id empty", lambda: tool_started().result(0)
     .patch(f"{MESSAGE}.tool_call_id", ""), FACT),
]  # fmt: skip

ANSWERS: list[Row] = [
    ("2 id reserved", lambda: _stop().patch("id", uid("operation", 1)), "DUPLICATE_ID"),
    ("2 before 3", lambda: _stop().patch("id", uid("operation", 1)).patch("entry.stepId", 0),
     "DUPLICATE_ID"),
    ("3 unknown key", lambda: _stop().patch("entry.toolName", "x"), FACT),
    ("3 stepId", lambda: _stop().patch("entry.stepId", "x"), FACT),
    ("3 attemptId missing", lambda: _stop().patch("entry.attemptId", DROP), FACT),
    ("3 stopReason", lambda: _stop().patch("entry.stopReason", "end"), FACT),
    ("3 stopReason an array", lambda: _stop().patch("entry.stopReason", ["stop"]), FACT),
    ("4 attempt unknown", lambda: _stop().patch("entry.attemptId", uid("attempt", 9)), REFERENCE),
    ("4 another step", lambda: _stop().patch("entry.stepId", uid("step", 9)), REFERENCE),
    ("4 settled already", lambda: _stop().answer("again"), REFERENCE),
    ("4 failed already", lambda: attempting().failed().answer("late"), REFERENCE),
    ("4 closed by attempt 2", lambda: attempting().retry().answer("late")
     .patch("entry.attemptId", uid("attempt", 1)), REFERENCE),
    ("4 kind compaction", lambda: summarising().answer("x"), REFERENCE),
    ("5 run failed meanwhile", lambda: attempting().finish("failed").answer("late"), TRANSITION),
    ("5 before 6", lambda: attempting().finish("failed").answer("late", READ), TRANSITION),
    ("6 toolUse without calls", lambda: attempting().answer("x", stop="toolUse"), TRANSCRIPT),
    ("6 stop with calls", lambda: attempting().answer("x", READ), TRANSCRIPT),
]  # fmt: skip


@rows(MESSAGES)
def test_message(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(ANSWERS)
def test_answer(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


LEGAL = {
    "a user entry at any time": lambda: attempting().user("by the way"),
    "content null without calls": lambda: attempting().answer(None),
    "empty content": lambda: attempting().answer(""),
    "length with calls": lambda: attempting().answer("x", READ, stop="length"),
    "length without calls": lambda: attempting().answer("x", stop="length"),
    "a call id of an earlier answer": lambda: tool_started(READ).result(0).attempt().calls(READ),
    "deep but readable arguments": lambda: calling(("read", "{" * 500)),
}


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_legal(make: Callable[[], Log]) -> None:
    assert_accepted(make())


ILLEGAL: list[Row] = [
    ("a prompt while a call waits", lambda: calling(READ).user("well?"), TRANSCRIPT),
    ("an answer while a call waits", lambda: calling(READ).attempt().answer("x"), TRANSCRIPT),
    ("an answer while one of two waits", lambda: tool_started(READ, BASH).result(0).attempt()
     .answer("x"), TRANSCRIPT),
]  # fmt: skip


@pytest.mark.requirement(88)
@rows(ILLEGAL)
def test_illegal(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


def test_the_transcript_is_judged_at_the_end_of_the_line() -> None:
    bad_order = calling(READ).user("well?")
    assert_refused(bad_order.usage().joined(2), TRANSCRIPT)
    legal_again = calling(READ).user("well?").user("hello?")
    assert_refused(legal_again.joined(2), TRANSCRIPT)
    other_fault = calling(READ).user("well?").usage().patch("usage.input", -1).joined(2)
    assert_refused(other_fault, FACT)


def test_two_calls_with_one_id_in_one_message_are_refused_at_their_seq() -> None:
    result = judge(calling().patch(f"{CALL}.id", "call_2").usage().joined(2).to_bytes())
    assert isinstance(result, Corrupt)
    assert (result.code, result.line, result.seq) == (TRANSCRIPT, 4, 4)


def test_an_idle_session_takes_a_user_entry() -> None:
    state = assert_accepted(finished_run().user("next")).state
    assert state.boundary == uid("entry", 3)
    assert state.operation.kind == "idle"
