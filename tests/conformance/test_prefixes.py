"""What must hold wherever a crash may have cut a session: every prefix of every fixture.

Prefixes that several fixtures share are looked at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from tests.support.corpus import ORIGINAL, OWN, fixtures, validator
from tests.support.resume import matching, resume, state_of, step_of

from perdure.core.compaction import summary_work
from perdure.core.messages import Message, calls_of
from perdure.core.plan_shape import plan_to_json
from perdure.core.plans import CurrentConfiguration, StartStep
from perdure.core.recovery import plan_recovery
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import Compaction, Idle, SessionState

CHANGED = CurrentConfiguration("sha256:" + "f" * 64, "elsewhere", ())
"""A configuration in which everything differs."""


def _prefixes() -> Iterator[bytes]:
    seen = set[bytes]()
    for fixture in [*fixtures(OWN), *fixtures(ORIGINAL)]:
        lines = fixture.path.read_bytes().split(b"\n")[:-1]
        for count in range(1, len(lines) + 1):
            prefix = b"".join(line + b"\n" for line in lines[:count])
            if prefix not in seen:
                seen.add(prefix)
                yield prefix


PREFIXES = list(_prefixes())
SESSIONS = [prefix for prefix in PREFIXES if isinstance(reduce_session(prefix), Reduced)]
UNFINISHED = [data for data in SESSIONS if not isinstance(state_of(data).operation, Idle)]


def test_there_are_prefixes() -> None:
    assert len(PREFIXES) > 500
    assert len(UNFINISHED) > 100


@pytest.mark.requirement(11)
def test_reducing_twice_gives_the_same() -> None:
    for data in PREFIXES:
        assert reduce_session(data) == reduce_session(data)


@pytest.mark.requirement(8, 10, 11)
def test_planning_twice_gives_the_same_plan_of_the_closed_union() -> None:
    schema = validator(OWN / "recovery-plan.schema.json")
    for data in SESSIONS:
        for current in (matching(state_of(data)), CHANGED):
            plan = plan_recovery(state_of(data), current)
            assert plan == plan_recovery(state_of(data), current)
            schema.validate(plan_to_json(plan))


@pytest.mark.requirement(87)
def test_a_first_attempt_always_stands_at_the_boundary() -> None:
    for data in SESSIONS:
        state = state_of(data)
        plan = plan_recovery(state, matching(state))
        if isinstance(plan, StartStep) and plan.attempt == 1:
            assert plan.context_through_entry_id == state.boundary


@pytest.mark.requirement(71, 72, 85, 136)
def test_every_prefix_can_be_brought_to_its_end() -> None:
    for data in filter(_is_ours, UNFINISHED):
        end = resume(data)
        if end.blocked is not None:
            assert end.blocked in ("attempts_exhausted", "environment_changed")
            continue
        assert isinstance(end.state.operation, Idle)
        assert not _open_call_ids(end.state.transcript)
        assert resume(end.data).data == end.data


@pytest.mark.requirement(50, 51, 101)
def test_an_aborted_prefix_ends_aborted_without_any_effect() -> None:
    aborted = [data for data in UNFINISHED if _abort_requested(state_of(data))]
    assert len(aborted) > 5
    for data in aborted:
        end = resume(data)
        assert end.effects == []
        assert end.blocked is None
        assert b'"outcome":"aborted"' in end.data.splitlines()[-1]


@pytest.mark.requirement(105, 106, 107)
@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("abort-while-attempting", ["stepFailed", "operationFinished"]),
        ("abort-while-summarising", ["stepFailed", "operationFinished"]),
        ("abort-mixed-tools-requested", ["message", "message", "operationFinished"]),
        ("abort-before-step", ["operationFinished"]),
    ],
)
def test_what_an_abort_leaves_to_write(name: str, written: list[str]) -> None:
    data = (OWN / "fixtures" / f"{name}.jsonl").read_bytes()
    end = resume(data)
    facts = [fact for line in end.data.removeprefix(data).splitlines() for fact in json.loads(line)]
    assert [fact.get("record", fact.get("entry"))["type"] for fact in facts] == written
    if "summarising" in name:
        assert end.state.active_context == state_of(data).active_context


@pytest.mark.requirement(48, 54, 70)
def test_a_changed_configuration_only_blocks_or_starts_afresh() -> None:
    for data in UNFINISHED:
        state = state_of(data)
        if step_of(state) is not None and not _abort_requested(state):
            plan = plan_to_json(plan_recovery(state, CHANGED))
            assert plan == {"type": "blocked", "reason": "configuration_changed"}


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        pytest.param("run-without-step", ["model"]),
        pytest.param("attempt-open", ["model"]),
        pytest.param("attempt-failed", [], marks=pytest.mark.requirement(20, 60)),
        pytest.param("settled-stop", [], marks=pytest.mark.requirement(39)),
        pytest.param("summary-settled", [], marks=pytest.mark.requirement(124)),
        pytest.param("summary-open", ["model"], marks=pytest.mark.requirement(125)),
        pytest.param(
            "pending-read",
            ["replay read", "model"],
            marks=pytest.mark.requirement(23, 64, 83, 84, 85, 90),
        ),
        pytest.param("pending-never-tool", ["model"], marks=pytest.mark.requirement(2, 3, 66)),
        pytest.param("truncated-tool-call", [], marks=pytest.mark.requirement(36)),
        pytest.param("untouched-calls", ["start read", "start bash", "model"]),
        pytest.param("index-0-pending-index-1-untouched", ["start read", "model"]),
    ],
)
def test_effects_of_a_resume(name: str, effects: list[str]) -> None:
    data = (OWN / "fixtures" / f"{name}.jsonl").read_bytes()
    end = resume(data)
    assert end.effects == effects
    assert isinstance(end.state.operation, Idle)
    assert resume(end.data).effects == []


@pytest.mark.requirement(39, 124)
@pytest.mark.parametrize("name", ["settled-stop", "summary-settled"])
def test_only_the_missing_terminal_is_written(name: str) -> None:
    data = (OWN / "fixtures" / f"{name}.jsonl").read_bytes()
    end = resume(data)
    assert end.state.next_seq == state_of(data).next_seq + 1
    assert b'"operationFinished"' in end.data.removeprefix(data)


@pytest.mark.requirement(20, 22, 35, 58)
def test_no_step_is_attempted_a_third_time() -> None:
    data = (OWN / "fixtures" / "attempts-exhausted.jsonl").read_bytes()
    end = resume(data)
    assert (end.blocked, end.data, end.effects) == ("attempts_exhausted", data, [])


def _abort_requested(state: SessionState) -> bool:
    return not isinstance(state.operation, Idle) and state.operation.abort_requested


def _is_ours(data: bytes) -> bool:
    """Leave out what only another program writes and no fact can bring to a good end.

    That is a request over unanswered calls (section 13 H3), and a compaction whose tail would
    begin with the result of a call that is summarised.
    """
    state = state_of(data)
    if isinstance(state.operation, Compaction):
        tail = summary_work(state, state.operation).retained_tail
        return not tail or tail[0]["message"]["role"] != "tool"
    step = step_of(state)
    attempting = step is not None and step.status == "attempting"
    return not (attempting and _open_call_ids(state.transcript))


def _open_call_ids(messages: Sequence[Message]) -> set[str]:
    """Return the calls that have no result, checking that each result follows its call."""
    waiting = set[str]()
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, message
            waiting.remove(message["tool_call_id"])
        else:
            assert not waiting, f"{message} stands between calls and their results"
            waiting = {call["id"] for call in calls_of(message)}
    return waiting
