"""What reopening decides, and how a plan is told."""

from __future__ import annotations

import pytest

from perdure.agent.reopening import STALE_AFTER_MS, Setting, decide, describe
from perdure.core.plans import (
    AppendSynthetic,
    CloseAttempt,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
    SyntheticReason,
    SyntheticResult,
)


@pytest.mark.parametrize(
    ("setting", "age_ms", "expected"),
    [
        ("auto", 0, "resume"),
        ("auto", STALE_AFTER_MS, "resume"),
        ("auto", STALE_AFTER_MS + 1, "ask"),
        ("ask", 0, "ask"),
        ("never", 0, "suspend"),
        ("never", STALE_AFTER_MS + 1, "suspend"),
    ],
)
def test_decision(setting: Setting, age_ms: int, expected: str) -> None:
    assert decide(setting, last_timestamp=1_000, now=1_000 + age_ms) == expected


def synthetic(reason: SyntheticReason) -> AppendSynthetic:
    """A plan with one result of ``bash``."""
    return AppendSynthetic((SyntheticResult("a", 0, "c", "bash", reason, "text"),))


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (StartStep("assistant", 2, "c", "s"), "asked again"),
        (StartStep("assistant", 1, "c"), "next step"),
        (StartTool("replay", "a", 0, "read", {}, "t"), "read runs again"),
        (StartTool("start", "a", 0, "bash", {}), "had not been started"),
        (synthetic("interrupted"), "not repeated"),
        (synthetic("unknownTool"), "without being executed"),
        (CloseAttempt({"code": "aborted", "message": "Operation aborted"}), "abort"),
        (Finish("aborted"), "abort"),
        (Finish("completed", "normal", "e"), "only the end"),
    ],
)
@pytest.mark.requirement(29)
def test_description(plan: RecoveryPlan, words: str) -> None:
    assert words in describe(plan)
