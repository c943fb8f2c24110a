"""Perdure's own fixtures: one for every row of the format and of the planner's tables."""

from __future__ import annotations

import pytest
from tests.support.corpus import OWN, Fixture, PlanFixture, fixtures, plan_fixtures, read_json
from tests.support.fixtures.files import COMMAND, stale

from perdure.core.plan_shape import current_from_json, plan_to_json
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.shape import result_json

SESSIONS = [pytest.param(fixture, id=fixture.name) for fixture in fixtures(OWN)]
ROWS: dict[str, tuple[int, ...]] = {
    "first-step": (33,),
    "retry": (34, 57),
    "attempt-open-digest": (34, 42, 54),
    "attempts-exhausted": (35, 58),
    "truncated-tool-call": (36,),
    "replay-read": (37, 64),
    "interrupted-never-tool": (38, 66, 95),
    "finish-normal": (39,),
    "abort-attempting-when-all-changed": (50,),
    "abort-mixed-tools": (51,),
    "abort-mixed-tools-when-all-changed": (50, 68),
    "finish-abort-after-failure": (51,),
    "first-step-has-no-gate": (52,),
    "attempt-failed-digest": (53, 54, 68),
    "settled-stop-digest": (54, 68),
    "attempt-open-environment": (55, 68),
    "attempt-open-digest-and-environment": (56,),
    "attempts-exhausted-digest": (59,),
    "failed": (60,),
    "pending-before-untouched": (61,),
    "tool-environment-before-declaration": (61, 62),
    "environment-changed": (26, 37, 62),
    "tool-missing": (63,),
    "tool-definition": (63,),
    "tool-now-never": (37, 65),
    "tool-key": (26, 46, 65),
    "tool-environment-before-interrupted": (67,),
    "replay-then-stop": (86,),
    "next-step": (87,),
    "next-step-after-synthetic-only": (87,),
    "retry-summary": (125,),
    "summary-exhausted": (125,),
}
"""The requirements that a plan shows."""

PLANS = [
    pytest.param(
        fixture,
        id=fixture.name,
        marks=[pytest.mark.requirement(*ROWS.get(fixture.name, ()))],
    )
    for fixture in plan_fixtures(OWN)
]
BLOCKED = {
    "configuration_changed",
    "environment_changed",
    "replay_declaration_changed",
    "attempts_exhausted",
}


@pytest.mark.requirement(76)
def test_fixtures_are_up_to_date() -> None:
    assert not stale(), f"Fixtures are out of date; run: {COMMAND}"


@pytest.mark.requirement(16, 17, 18, 75, 77, 126)
@pytest.mark.parametrize("fixture", SESSIONS)
def test_reduction(fixture: Fixture) -> None:
    result = reduce_session(fixture.path.read_bytes())
    assert result_json(result) == read_json(fixture.expected), fixture.proves


@pytest.mark.requirement(7, 78, 97)
@pytest.mark.parametrize("fixture", PLANS)
def test_plan(fixture: PlanFixture) -> None:
    data = fixture.session.read_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced)
    plan = plan_recovery(result.state, current_from_json(fixture.current))
    assert plan_to_json(plan) == fixture.expected, fixture.proves
    assert fixture.session.read_bytes() == data


def test_the_plans_named_for_requirements_exist() -> None:
    assert ROWS.keys() <= {fixture.name for fixture in plan_fixtures(OWN)}


@pytest.mark.requirement(69)
def test_each_blocked_reason_is_reached() -> None:
    plans = [fixture.expected for fixture in plan_fixtures(OWN)]
    assert {
        plan["reason"] for plan in plans if isinstance(plan, dict) and "reason" in plan
    } == BLOCKED


@pytest.mark.requirement(73)
def test_each_synthetic_reason_is_planned() -> None:
    reasons = {
        result["reason"]
        for fixture in plan_fixtures(OWN)
        for result in _results(fixture)
        if isinstance(result, dict)
    }
    assert reasons == {"invalidArguments", "unknownTool", "truncated", "aborted", "interrupted"}


@pytest.mark.requirement(76)
def test_the_originals_names_that_its_published_part_lacks() -> None:
    assert {fixture.name for fixture in fixtures(OWN)} >= {
        *("attempts-exhausted", "configuration-order-equivalent", "pending-never-tool"),
        *("compaction-property-order-equivalent", "torn-tail", "truncated-tool-call"),
        *("synthetic-aborted", "abort-mixed-tools-requested", "duplicate-json-key", "crlf"),
        *("skipped-seq-transaction", "replay-mismatch", "duplicate-result-reservation"),
        *("overlapping-step", "retry-after-step-failed", "wrong-context-boundary"),
        *("usage-overflow", "cross-operation-final", "missing-compaction-middle"),
        *("synthetic-truncated-wrong-content", "synthetic-interrupted-wrong-content"),
    }
    assert {fixture.name for fixture in plan_fixtures(OWN)} >= {
        *("interrupted-never-tool", "attempts-exhausted", "truncated-tool-call"),
        *("environment-changed", "abort-mixed-tools", "invalid-arguments"),
        "duplicate-provider-call-id",
    }


@pytest.mark.requirement(133)
@pytest.mark.parametrize("word", ["abortRequested", "compactionStarted", "sourceDigest"])
def test_words_can_be_found(word: str) -> None:
    assert any(word.encode() in fixture.path.read_bytes() for fixture in fixtures(OWN))


@pytest.mark.requirement(134)
def test_reading_order_of_an_abort() -> None:
    data = (OWN / "fixtures" / "abort-reconciled.jsonl").read_bytes()
    places = [data.index(word) for word in (b"abortRequested", b"stepFailed", b"operationFinished")]
    assert places == sorted(places)


def _results(fixture: PlanFixture) -> list[object]:
    results = fixture.expected.get("results") if isinstance(fixture.expected, dict) else None
    return [*results] if isinstance(results, list) else []
