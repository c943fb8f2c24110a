"""Everything that can happen to a small session, tried; and defects that this must notice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from tests.property.explorer import defective_plans as plans
from tests.property.explorer import defective_shell as shell
from tests.property.explorer.__main__ import main
from tests.property.explorer.laws import LAWS
from tests.property.explorer.scenarios import ORDINARY
from tests.property.explorer.search import Search, Violation
from tests.property.explorer.world import Bounds
from tests.support.torture import count, report

STATES = {
    "two calls": 60_000,
    "two steps": 25_000,
    "power cuts": 10_000,
    "a compaction": 20_000,
    "an added user entry": 15_000,
}
"""So many distinct states each scenario has at least."""

RUN = Bounds(calls=2, steps=1, operations="r", kinds=("safe", "never"))
REFUSED = Bounds(calls=1, steps=1, operations="r", kinds=("unknown", "ill-formed"))
TWO_STEPS = Bounds(calls=1, steps=2, operations="r", kinds=("safe",))
POWER = Bounds(calls=1, steps=1, operations="r", kinds=("never",), power=True)
ADDED = ORDINARY["an added user entry"]
COMPACTION = ORDINARY["a compaction"]

PLACES = {
    "plan": "perdure.agent.loop.plan_recovery",
    "run": "perdure.agent.loop.Loop.run",
    "plans_again": "perdure.agent.loop.Loop._abort_came_after",
    "start_step": "perdure.agent.model_step.ModelStep.start",
    "messages": "perdure.agent.model_step.model_messages",
    "start_tool": "perdure.agent.tool_step.ToolStep.start",
    "run_tool": "perdure.agent.tool_step.ToolStep._run",
    "last_answer": "perdure.core.context._last_answer",
    "admit": "tests.property.explorer.logs.admit",
    "encode": "tests.property.explorer.logs.encode",
    "needs_sync": "tests.property.explorer.logs.needs_sync",
}
"""Where the functions stand that defects replace."""


@dataclass(frozen=True, slots=True)
class Defect:
    """Laws that are broken in a small world when some functions are replaced."""

    breaks: tuple[str, ...]
    changes: Mapping[str, object]
    bounds: Bounds = RUN

    def __str__(self) -> str:
        return "+".join(getattr(change, "__name__", "?") for change in self.changes.values())


DEFECTS = (
    Defect(
        ("never_tool_runs_once", "safe_tool_keeps_its_identity"),
        {"plan": plans.replays_never_tools},
    ),
    Defect(
        ("plan_is_admissible", "loop_expects_everything"),
        {"plan": plans.ignores_aborts},
    ),
    Defect(
        ("abort_starts_nothing", "abort_wins"),
        {"plan": plans.ignores_aborts, "admit": shell.admits_everything},
    ),
    Defect(
        ("turn_makes_progress",),
        {"plan": plans.ignores_aborts, "plans_again": shell.always_plans_again},
    ),
    Defect(("blocked_does_nothing",), {"plan": plans.asks_a_third_time}),
    Defect(("blocked_does_nothing",), {"plan": plans.fails_what_is_exhausted}),
    Defect(("blocked_does_nothing",), {"plan": plans.forgets_the_environment}),
    Defect(("blocked_does_nothing",), {"plan": plans.forgets_the_configuration}),
    Defect(("safe_tool_keeps_its_identity",), {"plan": plans.forgets_the_replay_key}),
    Defect(("plan_is_admissible",), {"plan": plans.runs_truncated_calls}),
    Defect(("plan_is_admissible",), {"plan": plans.finishes_over_open_calls}),
    Defect(
        ("terminal_leaves_nothing_open",),
        {"plan": plans.finishes_over_open_calls, "admit": shell.admits_everything},
    ),
    Defect(
        ("new_step_leaves_no_call_open", "transcript_is_legal"),
        {"plan": plans.asks_over_open_calls, "admit": shell.admits_everything},
        REFUSED,
    ),
    Defect(("blocked_has_its_reason",), {"plan": plans.waits_for_ever}),
    Defect(("plan_is_admissible",), {"last_answer": plans.last_answer_with_calls}, TWO_STEPS),
    Defect(("abort_wins",), {"admit": shell.admits_everything}),
    Defect(("abort_wins",), {"admit": shell.admits_late_summaries}, COMPACTION),
    Defect(("command_is_accepted",), {"admit": shell.refuses_aborts}),
    Defect(
        ("never_intent_survives_power_cut", "never_tool_runs_once"),
        {"needs_sync": shell.not_synced("toolStarted")},
        POWER,
    ),
    Defect(
        ("word_survives_power_cut",),
        {"needs_sync": shell.not_synced("runStarted")},
        POWER,
    ),
    Defect(
        ("word_survives_power_cut",),
        {"needs_sync": shell.not_synced("abortRequested")},
        POWER,
    ),
    Defect(
        ("terminal_survives_power_cut",),
        {"needs_sync": shell.not_synced("operationFinished")},
        POWER,
    ),
    Defect(("bytes_mean_the_same",), {"encode": shell.judges_no_usage}),
    Defect(("intent_is_recorded_first",), {"start_tool": shell.effect_before_commit}),
    Defect(("recovery_converges",), {"run_tool": shell.loses_results}),
    Defect(("attempt_is_recorded_first",), {"start_step": shell.asks_before_commit}),
    Defect(("retry_sends_the_same",), {"messages": shell.sends_all_there_is}, ADDED),
    Defect(("loop_ends_idle_or_blocked",), {"run": shell.hides_what_blocks}),
    Defect(("second_resume_does_nothing",), {"run": shell.notes_each_start}),
)


@pytest.mark.requirement(2, 22, 26, 49, 50, 51, 101, 109, 110, 111)
@pytest.mark.parametrize("name", ORDINARY)
def test_every_law_holds_in_every_state(name: str) -> None:
    explored = Search(ORDINARY[name]).run(limit=1_000_000)
    print(f"{name}: {explored}")
    assert explored.exhausted
    assert explored.states >= STATES[name]
    report(4, "states explored", explored.states)


def test_every_law_holds_in_a_wider_world() -> None:
    wanted = count(10_000, 1_000_000)
    assert main(["--states", str(wanted)]) == 0
    report(4, "states explored", wanted)


def test_the_scenarios_have_enough_states() -> None:
    assert sum(STATES.values()) >= 100_000


@pytest.mark.parametrize(
    ("law", "defect"),
    [
        pytest.param(law, defect, id=f"{defect}-{law}")
        for defect in DEFECTS
        for law in defect.breaks
    ],
)
def test_a_defect_is_noticed(law: str, defect: Defect, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, replacement in defect.changes.items():
        monkeypatch.setattr(PLACES[place], replacement)
    with pytest.raises(Violation) as broken:
        Search(defect.bounds, watched=law).run(limit=50_000)
    assert broken.value.law == law


def test_every_law_is_broken_by_a_defect() -> None:
    assert {law for defect in DEFECTS for law in defect.breaks} == LAWS


def test_a_violation_tells_how_it_came_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLACES["plan"], plans.replays_never_tools)
    with pytest.raises(Violation) as broken:
        Search(RUN, watched="never_tool_runs_once").run(limit=50_000)
    moves = [line[4:] for line in str(broken.value).splitlines()]
    assert moves.count("tool takes effect") == 2
    assert moves.index("crash") < len(moves)
    assert '"type":"toolStarted"' in str(broken.value)
