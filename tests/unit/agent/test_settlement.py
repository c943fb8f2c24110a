"""One outcome, one transaction (session-format section 17)."""

from __future__ import annotations

import pytest

from perdure.agent import settlement
from perdure.agent.records import Drafts
from perdure.core.compaction import SummaryWork
from perdure.core.facts import UsageCounters
from perdure.core.messages import AssistantMessage, StopReason
from perdure.core.records import ConfigurationSnapshot
from perdure.core.state import Compaction, Prefix, Run, Step
from perdure.providers.base import Answer, ProviderError

USAGE: UsageCounters = {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}
SNAPSHOT: ConfigurationSnapshot = {
    "model": "m",
    "systemPromptDigest": "d",
    "tools": [],
    "adapterIdentity": "a",
    "routingIdentity": "r",
    "outputOptionsDigest": "d",
}
STEP = Step("operation", "step", "attempt", 1, "assistant", "attempting", "context", SNAPSHOT, "d")
RUN = Run("operation", "input", STEP, Prefix([]), frozenset(), abort_requested=False)
CALL: AssistantMessage = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ],
}


def text(content: str) -> AssistantMessage:
    """An answer without calls."""
    return {"role": "assistant", "content": content}


def kinds(drafts: Drafts) -> list[str]:
    """What a transaction consists of, in order; a terminal with its outcome and code."""
    return [_kind(draft) for draft in drafts]


def _kind(draft: object) -> str:
    match draft:
        case {"record": {"type": "operationFinished", "outcome": outcome, "error": {"code": code}}}:
            return f"{outcome} {code}"
        case {"record": {"type": "operationFinished", "outcome": outcome}}:
            return str(outcome)
        case {"record": {"type": "stepFailed", "error": {"code": code}}}:
            return f"stepFailed {code}"
        case {"entry": {"type": "compaction"}}:
            return "compaction"
        case {"kind": kind}:
            return str(kind)
        case _:
            raise AssertionError(draft)


@pytest.mark.parametrize(
    ("message", "stop", "expected"),
    [
        (text("done"), "stop", ["entry", "usage", "completed"]),
        (text(" \n\t"), "stop", ["entry", "usage", "failed empty_response"]),
        (CALL, "toolUse", ["entry", "usage"]),
        (CALL, "length", ["entry", "usage"]),
        (text("cut"), "length", ["usage", "stepFailed empty_response", "failed empty_response"]),
    ],
)
@pytest.mark.requirement(39)
def test_an_answer(message: AssistantMessage, stop: StopReason, expected: list[str]) -> None:
    answer = Answer(message, stop, USAGE)
    assert kinds(settlement.settle_answer(RUN, STEP, answer, entry_id="e")) == expected


def test_an_answer_without_usage_has_no_usage_fact() -> None:
    answer = Answer(text("done"), "stop", None)
    assert kinds(settlement.settle_answer(RUN, STEP, answer, entry_id="e")) == [
        "entry",
        "completed",
    ]


@pytest.mark.requirement(27, 31)
def test_a_failed_request_keeps_its_message_and_usage() -> None:
    error = ProviderError("quota used up", code="billing", usage=USAGE)
    drafts = settlement.settle_error(RUN, STEP, error)
    assert kinds(drafts) == ["usage", "stepFailed model_error", "failed model_error"]
    assert "quota used up" in repr(drafts)


@pytest.mark.requirement(110)
def test_a_late_answer_counts_but_never_completes() -> None:
    assert kinds(settlement.close_aborted(STEP, usage=USAGE)) == ["usage", "stepFailed aborted"]


WORK = SummaryWork("operation", "system", (), "through", ())
COMPACTION = Compaction("operation", "through", "result", 1, STEP, abort_requested=False)


@pytest.mark.parametrize(
    ("message", "stop", "expected"),
    [
        (text("summary"), "stop", ["usage", "compaction", "completed"]),
        (text(""), "stop", ["usage", "stepFailed empty_response", "failed empty_response"]),
        (text("cut"), "length", ["usage", "stepFailed empty_response", "failed empty_response"]),
        (CALL, "toolUse", ["usage", "stepFailed model_error", "failed model_error"]),
    ],
)
@pytest.mark.requirement(122)
@pytest.mark.hazard("Empty, null or reasoning-only summary")
def test_a_summary(message: AssistantMessage, stop: StopReason, expected: list[str]) -> None:
    answer = Answer(message, stop, USAGE)
    assert kinds(settlement.settle_summary(COMPACTION, STEP, WORK, answer)) == expected
