"""Seeded defects of the planner: each takes its place and breaks a promise."""

from __future__ import annotations

from dataclasses import replace

from perdure.core import context
from perdure.core.messages import AssistantMessage, Message, calls_of
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CurrentConfiguration,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
)
from perdure.core.recovery import plan_recovery
from perdure.core.state import Idle, Prefix, Run, SessionState, Step, ToolIntent
from perdure.json_types import JsonObject


def replays_never_tools(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A started ``never`` tool is run again."""
    plan = plan_recovery(state, current)
    intents = _pending(state)
    if not isinstance(plan, AppendSynthetic) or not intents or _aborted(state):
        return plan
    intent = intents[0]
    return StartTool(
        "replay",
        intent.assistant_entry_id,
        intent.tool_index,
        intent.tool_name,
        intent.arguments,
        tool_started_id=intent.tool_started_id,
    )


def ignores_aborts(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """The work goes on as if nobody had asked it to stop."""
    if isinstance(state.operation, Idle):
        return plan_recovery(state, current)
    operation = state.operation._replace(abort_requested=False)
    return plan_recovery(replace(state, operation=operation), current)


def asks_a_third_time(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Attempts are never exhausted."""
    plan = plan_recovery(state, current)
    step = _step(state)
    if step is None or plan != Blocked("attempts_exhausted"):
        return plan
    return StartStep(step.step_kind, 2, step.context_through_entry_id, step.step_id)


def fails_what_is_exhausted(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Exhausted attempts end the operation instead of leaving it to the user."""
    plan = plan_recovery(state, current)
    if plan != Blocked("attempts_exhausted"):
        return plan
    return Finish("failed", error={"code": "model_error", "message": "attempts exhausted"})


def finishes_over_open_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A call whose outcome is unknown ends the run without a result."""
    plan = plan_recovery(state, current)
    if isinstance(plan, AppendSynthetic) and not _aborted(state):
        return Finish("failed", error={"code": "model_error", "message": "gave up"})
    return plan


def asks_over_open_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A call that cannot be run is passed over, and the model is asked again."""
    plan = plan_recovery(state, current)
    if not isinstance(plan, AppendSynthetic) or _aborted(state) or state.boundary is None:
        return plan
    return StartStep("assistant", 1, state.boundary)


def forgets_the_environment(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A session may go on wherever it was copied to."""
    return plan_recovery(
        state, replace(current, environment_identity=state.header.environment_identity)
    )


def forgets_the_configuration(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A step may go on under another model."""
    step = _step(state)
    if step is None:
        return plan_recovery(state, current)
    return plan_recovery(state, replace(current, configuration_digest=step.configuration_digest))


def forgets_the_replay_key(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A safe tool is replayed by whatever has its name now."""
    keys = {intent.tool_name: intent.replay_key for intent in _pending(state)}
    tools = (
        replace(tool, replay="safe", replay_key=keys.get(tool.name, tool.replay_key))
        for tool in current.tools
    )
    return plan_recovery(state, replace(current, tools=tuple(tools)))


def runs_truncated_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Calls of an answer that was cut off are run."""
    plan = plan_recovery(state, current)
    if not isinstance(plan, AppendSynthetic) or plan.results[0].reason != "truncated":
        return plan
    first = plan.results[0]
    arguments: JsonObject = {"path": "a"}
    return StartTool("start", first.assistant_entry_id, 0, first.tool_name, arguments)


def waits_for_ever(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A failed step is reported as if a person had to decide."""
    plan = plan_recovery(state, current)
    return Blocked("attempts_exhausted") if isinstance(plan, Finish) else plan


def last_answer_with_calls(
    transcript: Prefix[Message],
) -> tuple[AssistantMessage, frozenset[str]]:
    """The present turn is taken to be the last one that had calls, against 14.5 D8."""
    answered: set[str] = set()
    for message in reversed(transcript):
        if message["role"] == "assistant" and calls_of(message):
            return message, frozenset()
        if message["role"] == "tool":
            answered.add(message["tool_call_id"])
    return _last_answer(transcript)


_last_answer = context._last_answer


def _step(state: SessionState) -> Step | None:
    return None if isinstance(state.operation, Idle) else state.operation.step


def _aborted(state: SessionState) -> bool:
    return not isinstance(state.operation, Idle) and state.operation.abort_requested


def _pending(state: SessionState) -> list[ToolIntent]:
    operation = state.operation
    if not isinstance(operation, Run):
        return []
    return [intent for intent in operation.intents if intent.tool_started_id in operation.pending]
