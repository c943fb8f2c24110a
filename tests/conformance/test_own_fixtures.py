"""Perdure's own fixtures: one for every row of the format and of the planner's tables."""

from __future__ import annotations

import pytest
from tests.support.corpus import OWN, Fixture, PlanFixture, fixtures, plan_fixtures, read_json
from tests.support.fixtures.__main__ import COMMAND, stale

from perdure.core.plan_shape import current_from_json, plan_to_json
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.shape import result_json

SESSIONS = [pytest.param(fixture, id=fixture.name) for fixture in fixtures(OWN)]
PLANS = [pytest.param(fixture, id=fixture.name) for fixture in plan_fixtures(OWN)]
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


@pytest.mark.requirement(7, *range(33, 40), 42, *range(50, 70), 73, 74, 78, 86, 87, 95, 97, 125)
@pytest.mark.parametrize("fixture", PLANS)
def test_plan(fixture: PlanFixture) -> None:
    data = fixture.session.read_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced)
    plan = plan_recovery(result.state, current_from_json(fixture.current))
    assert plan_to_json(plan) == fixture.expected, fixture.proves
    assert fixture.session.read_bytes() == data


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
