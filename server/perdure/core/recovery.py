"""The planner: what may happen next (session-format sections 14.3 to 14.5).

``plan_recovery`` reads a state and today's configuration and names exactly one next effect, or
the reason why nothing may happen without a person. It does nothing itself: no I/O, no ids, no
clock; the same input gives the same plan. A fresh prompt and a session found after a crash are
planned by the same rows, which stand below in the order of the table:

1. An idle session is finished.
2. An abort closes what is open, whatever the configuration is by now.
3. A step that was ever attempted passes two gates first: configuration, then environment.
4. Then the step itself: retry once, report a failure, or go on with the calls of its answer.
5. A started call passes its own gates; it is never simply run again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from perdure.core.arguments import parse_arguments
from perdure.core.constants import ABORTED_ERROR, EMPTY_RESPONSE_ERROR, FAILED_ERROR, SYNTHETIC_TEXT
from perdure.core.context import OpenCall, Turn, current_turn, open_calls
from perdure.core.messages import calls_of, is_blank
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CloseAttempt,
    CurrentConfiguration,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
    SyntheticReason,
    SyntheticResult,
)
from perdure.core.records import StepKind
from perdure.core.state import Compaction, Idle, Run, SessionState, Step, ToolIntent


def plan_recovery(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Return the next effect, or ``Blocked``. Costs as much as the current turn is long."""
    operation = state.operation
    if isinstance(operation, Idle):
        return Finish("completed", completion="normal")
    if operation.abort_requested:
        return _close_aborted(state, operation)
    step = operation.step
    if step is None:
        return _new_step(state, operation)
    blocked = _step_gates(state, step, current)
    return blocked or _after_attempt(state, operation, step, current)


def _close_aborted(state: SessionState, operation: Run | Compaction) -> RecoveryPlan:
    """Rows 2 to 4: close the attempt, answer the calls, end. No gate stands before an abort."""
    if operation.step is not None and operation.step.status == "attempting":
        return CloseAttempt(ABORTED_ERROR)
    open_ = open_calls(state)
    if not open_:
        return Finish("aborted")
    return AppendSynthetic(
        tuple(
            _interrupted(call, call.intent) if call.intent else _synthetic(call, "aborted")
            for call in open_
        )
    )


def _new_step(state: SessionState, operation: Run | Compaction) -> StartStep:
    """Rows 5 and 20: a first attempt over everything that the session holds."""
    if state.boundary is None:
        raise LookupError("an operation has an input entry, so the boundary is known")
    kind: StepKind = "assistant" if isinstance(operation, Run) else "compaction"
    return StartStep(kind, attempt=1, context_through_entry_id=state.boundary)


def _step_gates(state: SessionState, step: Step, current: CurrentConfiguration) -> Blocked | None:
    """Rows 6 and 7: the configuration, then the environment, for every step ever attempted."""
    if step.configuration_digest != current.configuration_digest:
        return Blocked("configuration_changed")
    if state.header.environment_identity != current.environment_identity:
        return Blocked("environment_changed")
    return None


def _after_attempt(
    state: SessionState, operation: Run | Compaction, step: Step, current: CurrentConfiguration
) -> RecoveryPlan:
    """Rows 8 to 11: what became of the step's latest attempt."""
    match step.status:
        case "attempting":
            return _retry(step)
        case "failed":
            return Finish("failed", error=FAILED_ERROR)
        case "settled":
            if isinstance(operation, Compaction):
                return Finish("completed", final_entry_id=operation.result_entry_id)
            return _after_answer(state, operation, step, current)
        case _:
            assert_never(step.status)


def _retry(step: Step) -> StartStep | Blocked:
    """Rows 8 and 9: a request lost in a crash is sent a second time, never a third."""
    if step.attempt == 2:
        return Blocked("attempts_exhausted")
    return StartStep(
        step.step_kind,
        attempt=2,
        step_id=step.step_id,
        context_through_entry_id=step.context_through_entry_id,
    )


def _after_answer(
    state: SessionState, operation: Run, step: Step, current: CurrentConfiguration
) -> RecoveryPlan:
    """Rows 12 to 20: the answer is stored; finish, answer its calls, or ask the model again."""
    turn = current_turn(state)
    if turn is None:
        raise LookupError("a settled step of a run has an answer")
    if not calls_of(turn.message):
        return _finish_without_calls(turn)
    if turn.stop_reason == "length":
        return _close_truncated(turn)
    if not turn.open_calls:
        return _new_step(state, operation)
    call = turn.open_calls[0]
    if call.intent is not None:
        return _after_start(call, call.intent, step, current)
    return _start(call, current)


def _close_truncated(turn: Turn) -> RecoveryPlan:
    """Rows 12 and 13: arguments may be cut off, so no call of the answer is run."""
    if not turn.open_calls:
        return Finish("completed", completion="truncated", final_entry_id=turn.entry_id)
    return AppendSynthetic(tuple(_synthetic(call, "truncated") for call in turn.open_calls))


def _finish_without_calls(turn: Turn) -> Finish:
    """Rows 14 and 15: only a plain stop with text completes a run (14.5 B4)."""
    if turn.stop_reason == "stop" and not is_blank(turn.message["content"]):
        return Finish("completed", completion="normal", final_entry_id=turn.entry_id)
    return Finish("failed", error=EMPTY_RESPONSE_ERROR)


def _start(call: OpenCall, current: CurrentConfiguration) -> RecoveryPlan:
    """Rows 17 to 19: a call that was never started."""
    function = call.call["function"]
    if current.tool(function["name"]) is None:
        return AppendSynthetic((_synthetic(call, "unknownTool"),))
    arguments = parse_arguments(function["arguments"])
    if arguments is None:
        return AppendSynthetic((_synthetic(call, "invalidArguments"),))
    return StartTool("start", call.assistant_entry_id, call.index, function["name"], arguments)


def _after_start(
    call: OpenCall, intent: ToolIntent, step: Step, current: CurrentConfiguration
) -> RecoveryPlan:
    """Row 16, gates a to e of 14.4: a started call without a result; its effect is unknown."""
    if intent.environment_identity != current.environment_identity:
        return Blocked("environment_changed")
    declared = current.tool(intent.tool_name)
    if declared is None or declared.definition_digest != _recorded_digest(step, declared.name):
        return Blocked("configuration_changed")
    if intent.replay == "never":
        return AppendSynthetic((_interrupted(call, intent),))
    if declared.replay != "safe" or declared.replay_key != intent.replay_key:
        return Blocked("replay_declaration_changed")
    return StartTool(
        "replay",
        call.assistant_entry_id,
        call.index,
        intent.tool_name,
        intent.arguments,
        tool_started_id=intent.tool_started_id,
    )


def _recorded_digest(step: Step, name: str) -> str | None:
    tools = step.configuration_snapshot["tools"]
    return next((tool["definitionDigest"] for tool in tools if tool["name"] == name), None)


def _synthetic(call: OpenCall, reason: SyntheticReason) -> SyntheticResult:
    return SyntheticResult(
        assistant_entry_id=call.assistant_entry_id,
        tool_index=call.index,
        tool_call_id=call.call["id"],
        tool_name=call.call["function"]["name"],
        reason=reason,
        content=SYNTHETIC_TEXT[reason],
    )


def _interrupted(call: OpenCall, intent: ToolIntent) -> SyntheticResult:
    return replace(
        _synthetic(call, "interrupted"),
        tool_started_id=intent.tool_started_id,
        result_entry_id=intent.result_entry_id,
    )
