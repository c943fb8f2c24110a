"""Building the ``Status`` that every client shows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from perdure.agent.queue import queue_info
from perdure.core.ids import milliseconds_of
from perdure.core.plan_shape import plan_to_json
from perdure.core.plans import AppendSynthetic, RecoveryPlan, StartStep, StartTool
from perdure.core.state import Compaction, Idle, Run, SessionState, ToolIntent, Usage
from perdure.protocol.approvals import ApproveParams
from perdure.protocol.status import (
    ApprovalInfo,
    McpServerInfo,
    ModelInfo,
    OperationInfo,
    State,
    Status,
    UsageInfo,
)
from perdure.protocol.trouble import BlockedInfo, FailedInfo, InterruptedFile
from perdure.providers.prices import Prices
from perdure.store.queue_file import QueuedPrompt

OperationPhase: TypeAlias = Literal["model", "tool", "approval", "closing"]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a status is made of, at one moment.

    ``session`` is None where no session is open or readable; ``failed`` is its last run, if that
    failed; ``attached`` is the call of an
    earlier server that is waited for. ``context_tokens`` is the size of the last request of this
    process, ``context_window`` that of the model, ``prices`` are its own; None if unknown.
    """

    workspace_folder: str
    environment_identity: str
    session: SessionState | None
    running: bool
    plan: RecoveryPlan | None
    attached: ToolIntent | None
    problem: BlockedInfo | None
    unavailable: bool
    approval: ApproveParams | None
    failed: FailedInfo | None
    context_tokens: int | None
    context_window: int | None
    prices: Prices | None
    model: ModelInfo
    queue: Sequence[QueuedPrompt]
    interrupted_file: InterruptedFile | None = None
    mcp: Sequence[McpServerInfo] = ()


def build(situation: Situation) -> Status:
    """Return the status."""
    status: Status = {
        "workspaceFolder": situation.workspace_folder,
        "environmentIdentity": situation.environment_identity,
        "sessionId": situation.session.header.id if situation.session else None,
        "state": _state(situation),
        "operation": _operation(situation),
        "plan": None if situation.plan is None else plan_to_json(situation.plan),
        "blocked": situation.problem,
        "approval": _approval(situation.approval),
        "usage": usage_info(
            situation.session,
            situation.context_tokens,
            situation.context_window,
            situation.prices,
        ),
        "model": situation.model,
        "queue": queue_info(situation.queue),
    }
    if situation.interrupted_file is not None:
        status["interruptedFile"] = situation.interrupted_file
    if situation.mcp:
        status["mcp"] = list(situation.mcp)
    if situation.failed is not None and _is_idle_here(situation):
        status["failed"] = situation.failed
    return status


def usage_info(
    session: SessionState | None, tokens: int | None, window: int | None, prices: Prices | None
) -> UsageInfo:
    """Return the token sums of a session, zeros without one, and what they cost at ``prices``."""
    usage = session.usage if session else Usage()
    cost = None
    if prices is not None:
        cost = prices.cost(
            input=usage.input,
            output=usage.output,
            cache_read=usage.cache_read,
            cache_write=usage.cache_write,
        )
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
        "contextTokens": tokens,
        "contextWindow": window,
        "cost": cost,
    }


def attached_label(intent: ToolIntent) -> str:
    """Say which call is waited for, and since when it has been running, in local time."""
    started = time.localtime(milliseconds_of(intent.tool_started_id) / 1000)
    return f"Running {intent.tool_name} (since {time.strftime('%Y-%m-%d %H:%M', started)})"


def _state(situation: Situation) -> State:
    if situation.unavailable:
        return "unavailable"
    if situation.session is None:
        return "none"
    if situation.approval is not None:
        return "waitingForApproval"
    if situation.running:
        return "running"
    if isinstance(situation.session.operation, Idle):
        return "idle"
    return "blocked" if situation.problem else "suspended"


def _is_idle_here(situation: Situation) -> bool:
    """Whether a run can be started in the session: it is idle and of this environment."""
    session = situation.session
    if session is None or _state(situation) != "idle":
        return False
    return session.header.environment_identity == situation.environment_identity


def _operation(situation: Situation) -> OperationInfo | None:
    operation = situation.session.operation if situation.session else Idle()
    if isinstance(operation, Idle):
        return None
    return {
        "operationId": operation.operation_id,
        "kind": operation.kind,
        "phase": _phase(situation, operation),
        "startedAt": milliseconds_of(operation.operation_id),
        "label": _label(situation, operation),
    }


def _phase(situation: Situation, operation: Run | Compaction) -> OperationPhase:
    if situation.approval is not None:
        return "approval"
    if operation.abort_requested:
        return "closing"
    match situation.plan:
        case StartTool() | AppendSynthetic():
            return "tool"
        case StartStep() | None:
            return "model"
        case _:
            return "closing"


def _label(situation: Situation, operation: Run | Compaction) -> str:
    if situation.approval is not None:
        return f"Waiting for you: {situation.approval['title']}"
    if situation.attached is not None and not operation.abort_requested:
        return attached_label(situation.attached)
    return _plan_label(situation.plan, operation)


def _plan_label(plan: RecoveryPlan | None, operation: Run | Compaction) -> str:
    """Say in a few words what the operation does now."""
    match plan:
        case StartTool():
            return f"Running {plan.tool_name}"
        case StartStep(step_kind="compaction"):
            return "Summarising the conversation"
        case StartStep():
            return "Asking the model"
        case AppendSynthetic():
            return "Recording calls that were not executed"
        case _:
            return "Compacting" if operation.kind == "compaction" else "Working"


def _approval(params: ApproveParams | None) -> ApprovalInfo | None:
    if params is None:
        return None
    return {
        "approvalId": params["approvalId"],
        "toolCallId": params["toolCallId"],
        "toolName": params["toolName"],
        "title": params["title"],
    }
