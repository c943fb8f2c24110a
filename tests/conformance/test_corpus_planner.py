"""The planner against the original's fixtures; running plans by name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
from tests.support.corpus import (
    ORIGINAL,
    ROOT,
    PlanFixture,
    needs_original,
    plan_fixtures,
    require_original,
)

from perdure.core.plan_shape import current_from_json, plan_to_json
from perdure.core.plans import CurrentConfiguration
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Reduced, reduce_session

OTHER = "sha256:" + "a" * 64
Change: TypeAlias = Callable[[CurrentConfiguration], CurrentConfiguration]
PLANS = [pytest.param(fixture, id=fixture.name) for fixture in plan_fixtures(ORIGINAL)]


@needs_original
@pytest.mark.requirement(76, 78)
def test_original_is_there() -> None:
    require_original()


@needs_original
@pytest.mark.requirement(7, 33, 34, 37, 64, 65, 78, 97)
@pytest.mark.parametrize("fixture", PLANS)
def test_plan(fixture: PlanFixture) -> None:
    data = fixture.session.read_bytes()
    result = reduce_session(data)
    assert isinstance(result, Reduced)
    plan = plan_recovery(result.state, current_from_json(fixture.current))
    assert plan_to_json(plan) == fixture.expected
    assert fixture.session.read_bytes() == data


@needs_original
@pytest.mark.requirement(94, 96, 97)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda now: replace(now, configuration_digest=OTHER), id="configuration"),
        pytest.param(
            lambda now: replace(now, tools=(replace(now.tools[0], definition_digest=OTHER),)),
            id="definition",
        ),
    ],
)
def test_a_changed_digest_blocks_the_replay(change: Change) -> None:
    require_original()
    fixture = next(it for it in plan_fixtures(ORIGINAL) if it.name == "replay-safe-tool")
    before = fixture.session.read_bytes()
    result = reduce_session(before)
    assert isinstance(result, Reduced)
    current = current_from_json(fixture.current)
    plan = plan_recovery(result.state, change(current))
    assert plan_to_json(plan) == {"type": "blocked", "reason": "configuration_changed"}
    assert fixture.session.read_bytes() == before


@needs_original
@pytest.mark.requirement(92, 93)
def test_a_name_filter_runs_exactly_two_plans() -> None:
    names = _collected("replay-safe-tool or interrupted-never-tool")
    assert sorted(name.split("[")[1] for name in names) == [
        "interrupted-never-tool]",
        "replay-safe-tool]",
    ]


@pytest.mark.requirement(132)
@pytest.mark.parametrize("word", ["abort", "compaction"])
def test_a_name_filter_finds_regression_tests(word: str) -> None:
    assert len(_collected(word)) > 10


def _collected(words: str) -> list[str]:
    files = ["tests/conformance/test_own_fixtures.py", "tests/conformance/test_corpus_planner.py"]
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-k", words, *files]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in listing.stdout.splitlines() if "::" in line]
