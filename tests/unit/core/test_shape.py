"""Section 11: the public JSON shape. The fixtures of the corpus compare it as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    READ,
    accepted_run,
    attempting,
    compacting,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log, session
from tests.unit.core.judging import assert_accepted

from perdure.core.reducer import Corrupt
from perdure.core.shape import result_json, state_json
from perdure.json_types import JsonValue

STATE = {"header", "transcript", "activeContext", "usage", "operation", "repairedLength"}
RUN = {"kind", "operationId", "inputEntryId", "toolCalls", "abortRequested"}
COMPACTION = {"kind", "operationId", "inputThroughEntryId", "resultEntryId", "abortRequested"}
STEP = {
    "operationId",
    "stepId",
    "attemptId",
    "attempt",
    "stepKind",
    "status",
    "contextThroughEntryId",
    "configurationSnapshot",
    "configurationDigest",
}

OPERATIONS = {
    "idle": (session, {"kind"}),
    "run without step": (accepted_run, RUN),
    "run with step": (attempting, RUN | {"step"}),
    "compaction without step": (compacting, COMPACTION),
    "compaction with step": (summarising, COMPACTION | {"step"}),
}

STEPS = {
    "attempting": (attempting, STEP),
    "failed": (lambda: attempting().failed(), STEP),
    "settled": (lambda: attempting().answer("x"), STEP | {"settledEntryId", "stopReason"}),
    "settled compaction": (lambda: summarising().summary(), STEP | {"settledEntryId"}),
}


def _operation(log: Log) -> dict[str, JsonValue]:
    operation = state_json(assert_accepted(log).state)["operation"]
    assert isinstance(operation, dict)
    return operation


@pytest.mark.requirement(14, 15)
@pytest.mark.parametrize(("make", "keys"), OPERATIONS.values(), ids=OPERATIONS.keys())
def test_keys_of_a_state(make: Callable[[], Log], keys: set[str]) -> None:
    assert state_json(assert_accepted(make()).state).keys() == STATE
    assert _operation(make()).keys() == keys


@pytest.mark.parametrize(("make", "keys"), STEPS.values(), ids=STEPS.keys())
def test_keys_of_a_step(make: Callable[[], Log], keys: set[str]) -> None:
    step = _operation(make())["step"]
    assert isinstance(step, dict)
    assert step.keys() == keys


def test_calls_of_earlier_runs_are_not_in_the_list() -> None:
    log = tool_started(READ).result(0).attempt().answer("done").finish().prompt("next")
    assert _operation(log)["toolCalls"] == []
    calls = _operation(log.attempt().calls(READ).started(0))["toolCalls"]
    assert isinstance(calls, list)
    assert len(calls) == 1


def test_completed_calls_stay_in_the_list() -> None:
    log = tool_started(READ).result(0).attempt().calls(READ).started(0)
    calls = _operation(log)["toolCalls"]
    assert isinstance(calls, list)
    assert [call["status"] for call in calls if isinstance(call, dict)] == ["completed", "pending"]


@pytest.mark.parametrize(
    ("corrupt", "error"),
    [
        (Corrupt("BLANK_LINE", 2, 99), {"code": "BLANK_LINE", "line": 2}),
        (Corrupt("INVALID_FACT", 3, 9, 2), {"code": "INVALID_FACT", "line": 3, "seq": 2}),
    ],
    ids=["without seq", "with seq"],
)
def test_errors(corrupt: Corrupt, error: dict[str, JsonValue]) -> None:
    assert result_json(corrupt) == {"ok": False, "error": error}


def test_success() -> None:
    result = assert_accepted(finished_run())
    assert result_json(result) == {"ok": True, "state": state_json(result.state)}
