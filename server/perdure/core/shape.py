"""The public JSON shape of a reduction (session-format section 11).

Optional keys are omitted, never null. The messages, snapshots and arguments are the stored
objects themselves, not copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never, cast

from perdure.core.reducer.outcome import Corrupt, Reduced
from perdure.core.state import (
    Compaction,
    Idle,
    Operation,
    Run,
    SessionHeader,
    SessionState,
    Step,
    ToolIntent,
    Usage,
)
from perdure.json_types import JsonObject, JsonValue


def result_json(result: Reduced | Corrupt) -> JsonObject:
    """Return ``{"ok": …}`` with the state or the error; the byte offset is not part of it."""
    match result:
        case Reduced(state):
            return {"ok": True, "state": state_json(state)}
        case Corrupt(code, line, _, seq):
            return {"ok": False, "error": _present({"code": code, "line": line, "seq": seq})}
        case _:
            assert_never(result)


def state_json(state: SessionState) -> JsonObject:
    """Return the six public keys of a state."""
    return {
        "header": _header_json(state.header),
        "transcript": cast(JsonValue, state.transcript[:]),
        "activeContext": cast(JsonValue, state.active_context[:]),
        "usage": _usage_json(state.usage),
        "operation": _operation_json(state.operation),
        "repairedLength": state.repaired_length,
    }


def _header_json(header: SessionHeader) -> JsonObject:
    return {
        "id": header.id,
        "createdAt": header.created_at,
        "cwd": header.cwd,
        "provider": header.provider,
        "model": header.model,
        "environmentIdentity": header.environment_identity,
    }


def _usage_json(usage: Usage) -> JsonObject:
    return {
        "input": usage.input,
        "output": usage.output,
        "cacheRead": usage.cache_read,
        "cacheWrite": usage.cache_write,
    }


def _operation_json(operation: Operation) -> JsonObject:
    match operation:
        case Idle():
            return {"kind": "idle"}
        case Run():
            return _present(
                {
                    "kind": "run",
                    "operationId": operation.operation_id,
                    "inputEntryId": operation.input_entry_id,
                    "step": _step_json(operation.step),
                    "toolCalls": [_intent_json(operation, it) for it in operation.intents],
                    "abortRequested": operation.abort_requested,
                }
            )
        case Compaction():
            return _present(
                {
                    "kind": "compaction",
                    "operationId": operation.operation_id,
                    "inputThroughEntryId": operation.input_through_entry_id,
                    "resultEntryId": operation.result_entry_id,
                    "step": _step_json(operation.step),
                    "abortRequested": operation.abort_requested,
                }
            )
        case _:
            assert_never(operation)


def _step_json(step: Step | None) -> JsonValue:
    if step is None:
        return None
    return _present(
        {
            "operationId": step.operation_id,
            "stepId": step.step_id,
            "attemptId": step.attempt_id,
            "attempt": step.attempt,
            "stepKind": step.step_kind,
            "status": step.status,
            "contextThroughEntryId": step.context_through_entry_id,
            "configurationSnapshot": cast(JsonValue, step.configuration_snapshot),
            "configurationDigest": step.configuration_digest,
            "settledEntryId": step.settled_entry_id,
            "stopReason": step.stop_reason,
        }
    )


def _intent_json(run: Run, intent: ToolIntent) -> JsonObject:
    return {
        "operationId": intent.operation_id,
        "toolStartedId": intent.tool_started_id,
        "stepId": intent.step_id,
        "assistantEntryId": intent.assistant_entry_id,
        "toolIndex": intent.tool_index,
        "toolCallId": intent.tool_call_id,
        "toolName": intent.tool_name,
        "arguments": intent.arguments,
        "replay": intent.replay,
        "replayKey": intent.replay_key,
        "environmentIdentity": intent.environment_identity,
        "resultEntryId": intent.result_entry_id,
        "status": "pending" if intent.tool_started_id in run.pending else "completed",
    }


def _present(members: Mapping[str, JsonValue]) -> JsonObject:
    return {key: value for key, value in members.items() if value is not None}
