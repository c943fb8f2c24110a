"""Sections 7.3 and 7.4: attempts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support.fixtures.stages import (
    READ,
    accepted_run,
    attempting,
    summarising,
    tool_started,
)
from tests.support.log import Log
from tests.support.raw_log import DROP
from tests.support.wire import ZERO_DIGEST, sha256, snapshot, uid
from tests.unit.core.judging import Row, assert_accepted, assert_refused, rows

from perdure.json_types import JsonObject

FACT = "INVALID_FACT"
DUPLICATE = "DUPLICATE_ID"
REFERENCE = "INVALID_REFERENCE"
TRANSITION = "INVALID_TRANSITION"
UNKNOWN = uid("free", 1)


def _snapshot(path: str, value: object) -> Callable[[], Log]:
    return lambda: attempting().patch(f"record.configurationSnapshot.{path}", value)


def _redone(change: JsonObject) -> Log:
    """Attempt 2 under another configuration, with its own right digest."""
    changed = snapshot("read", "bash") | change
    log = attempting().retry().patch("record.configurationSnapshot", changed)
    return log.patch("record.configurationDigest", sha256(changed))


ATTEMPTS: list[Row] = [
    ("2 zero", lambda: attempting().patch("record.attempt", 0), FACT),
    ("2 a fraction", lambda: attempting().patch("record.attempt", 1.0), FACT),
    ("3 step id form", lambda: attempting().patch("record.stepId", "x"), FACT),
    ("3 step id used", lambda: attempting().patch("record.stepId", uid("entry", 1)), DUPLICATE),
    ("3 step id form, attempt 2", lambda: attempting().retry().patch("record.stepId", "x"), FACT),
    ("4 attempt id form", lambda: attempting().patch("record.attemptId", None), FACT),
    ("4 attempt id is the step's", lambda: attempting()
     .patch("record.attemptId", uid("step", 1)), DUPLICATE),
    ("4 before 5", lambda: attempting().patch("record.attemptId", uid("step", 1))
     .patch("record.stepKind", 0), DUPLICATE),
    ("5 attempt 3", lambda: attempting().retry().retry().patch("record.attempt", 3), FACT),
    ("5 step kind", lambda: attempting().patch("record.stepKind", "run"), FACT),
    ("6 compaction in a run", lambda: attempting().patch("record.stepKind", "compaction"),
     TRANSITION),
    ("6 assistant in a compaction", lambda: summarising().patch("record.stepKind", "assistant"),
     TRANSITION),
    ("7 context form", lambda: attempting().patch("record.contextThroughEntryId", 1), FACT),
    ("7 context unknown", lambda: attempting().patch("record.contextThroughEntryId", UNKNOWN),
     REFERENCE),
    ("8 not the boundary", lambda: accepted_run().user("y").attempt()
     .patch("record.contextThroughEntryId", uid("entry", 1)), TRANSITION),
    ("8 before 9", lambda: accepted_run().user("y").attempt()
     .patch("record.contextThroughEntryId", uid("entry", 1))
     .patch("record.configurationDigest", ""), TRANSITION),
    ("9 snapshot missing", lambda: attempting().patch("record.configurationSnapshot", DROP), FACT),
    ("9 unknown key", _snapshot("cwd", "/"), FACT),
    ("9 model empty", _snapshot("model", ""), FACT),
    ("9 adapter missing", _snapshot("adapterIdentity", DROP), FACT),
    ("9 routing a number", _snapshot("routingIdentity", 1), FACT),
    ("9 prompt digest", _snapshot("systemPromptDigest", "sha256:0"), FACT),
    ("9 options digest", _snapshot("outputOptionsDigest", ZERO_DIGEST.upper()), FACT),
    ("9 tools null", _snapshot("tools", None), FACT),
    ("9 tool a string", _snapshot("tools", ["read"]), FACT),
    ("9 tool key", _snapshot("tools.0.replay", "safe"), FACT),
    ("9 tool name", _snapshot("tools.0.name", ""), FACT),
    ("9 tool digest", _snapshot("tools.0.definitionDigest", "x"), FACT),
    ("9 tool twice", _snapshot("tools.0.name", "bash"), FACT),
    ("9 digest form", lambda: attempting().patch("record.configurationDigest", None), FACT),
    ("9 digest of another", lambda: attempting()
     .patch("record.configurationDigest", ZERO_DIGEST), FACT),
    ("9 snapshot of another, digest as before", lambda: attempting().retry()
     .patch("record.configurationSnapshot", snapshot("read", "bash", model="other")), FACT),
    ("9 digest of another, snapshot as before", lambda: attempting().retry()
     .patch("record.configurationDigest", ZERO_DIGEST), FACT),
    ("10 a step is attempting", lambda: attempting().attempt(), TRANSITION),
    ("10 a step failed", lambda: attempting().failed().attempt(), TRANSITION),
    ("11 after a stop", lambda: attempting().answer("done").attempt(), TRANSITION),
    ("11 after a length", lambda: attempting().answer("x", stop="length").attempt(), TRANSITION),
    ("11 an intent is pending", lambda: tool_started(READ).attempt(), TRANSITION),
    ("11 in a compaction", lambda: summarising().summary().attempt()
     .patch("record.contextThroughEntryId", uid("entry", 2)), TRANSITION),
    ("12 no attempt 1", lambda: attempting().patch("record.attempt", 2), TRANSITION),
    ("12 after settling", lambda: attempting().answer("done").retry(), TRANSITION),
    ("12 after failing", lambda: attempting().failed().retry(), TRANSITION),
    ("12 attempt 2 twice", lambda: attempting().retry().retry(), TRANSITION),
    ("12 another context", lambda: attempting().user("y").retry()
     .patch("record.contextThroughEntryId", uid("entry", 2)), TRANSITION),
    ("12 another configuration", lambda: _redone({"model": "other"}), TRANSITION),
    ("12 another order of tools", lambda: _redone({"tools": [
        {"name": "bash", "definitionDigest": ZERO_DIGEST},
        {"name": "read", "definitionDigest": ZERO_DIGEST}]}), TRANSITION),
    ("12 another operation", lambda: attempting().finish("failed").prompt().retry()
     .patch("record.contextThroughEntryId", uid("entry", 1)), TRANSITION),
]  # fmt: skip

STEP_FAILED: list[Row] = [
    ("attempt form", lambda: attempting().failed().patch("record.attemptId", "x"), FACT),
    ("error missing", lambda: attempting().failed().patch("record.error", DROP), FACT),
    ("error key", lambda: attempting().failed().patch("record.error.retry", 1), FACT),
    ("error code empty", lambda: attempting().failed().patch("record.error.code", ""), FACT),
    ("error message", lambda: attempting().failed().patch("record.error.message", None), FACT),
    ("form before reference", lambda: attempting().failed().patch("record.attemptId", UNKNOWN)
     .patch("record.error", None), FACT),
    ("unknown", lambda: attempting().failed().patch("record.attemptId", UNKNOWN), REFERENCE),
    ("another step", lambda: attempting().failed().patch("record.stepId", UNKNOWN), REFERENCE),
    ("no step id", lambda: attempting().failed().patch("record.stepId", DROP), REFERENCE),
    ("failed already", lambda: attempting().failed().failed(), REFERENCE),
    ("settled already", lambda: attempting().answer("x").failed(), REFERENCE),
    ("closed by attempt 2", lambda: attempting().retry().failed()
     .patch("record.attemptId", uid("attempt", 1)), REFERENCE),
    ("no step at all", lambda: accepted_run().failed(), REFERENCE),
]  # fmt: skip


@pytest.mark.requirement(20, 22)
@rows(ATTEMPTS)
def test_step_attempt(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


@rows(STEP_FAILED)
def test_step_failed(make: Callable[[], Log], code: str) -> None:
    assert_refused(make(), code)


LEGAL = {
    "a new step after a result": lambda: tool_started(READ).result(0).attempt(),
    "attempt 2": lambda: attempting().retry(),
    "another configuration for a new step": lambda: tool_started(READ).result(0)
    .attempt("grep", model="other"),
    "no tools": lambda: accepted_run().attempt("none"),
}  # fmt: skip


@pytest.mark.parametrize("make", LEGAL.values(), ids=LEGAL.keys())
def test_legal(make: Callable[[], Log]) -> None:
    assert_accepted(make())
