"""From a plan or a command to the drafts that record it: pure functions, one per transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from perdure.core.compaction import CompactionPlan
from perdure.core.entries import StartedToolEntry, UnstartedToolEntry
from perdure.core.facts import Draft, EntryDraft, RecordDraft
from perdure.core.messages import ToolMessage
from perdure.core.plans import Finish, StartStep, SyntheticResult
from perdure.core.records import (
    AbortRequested,
    CompactionStarted,
    ConfigurationSnapshot,
    OperationFinished,
    Record,
    StepAttempt,
    StepFailed,
    ToolStarted,
    WireError,
)
from perdure.core.state import Compaction, Run, Step, ToolIntent

Drafts: TypeAlias = Sequence[Draft]


def record(value: Record, *, fact_id: str | None = None) -> RecordDraft:
    """Wrap a record; the store assigns the id unless something must refer to it."""
    if fact_id is None:
        return RecordDraft(kind="record", record=value)
    return RecordDraft(kind="record", id=fact_id, record=value)


def accept_run(text: str, *, entry_id: str, operation_id: str) -> Drafts:
    """Accept a prompt: user entry and ``runStarted`` in one transaction (7.1)."""
    return [
        EntryDraft(
            kind="entry",
            id=entry_id,
            entry={"type": "message", "message": {"role": "user", "content": text}},
        ),
        record(
            {
                "type": "runStarted",
                "operationId": operation_id,
                "operationKind": "run",
                "inputEntryId": entry_id,
            }
        ),
    ]


def accept_compaction(plan: CompactionPlan, *, operation_id: str, result_id: str) -> Drafts:
    """Accept a compaction (7.2)."""
    started: CompactionStarted = {
        "type": "compactionStarted",
        "operationId": operation_id,
        "operationKind": "compaction",
        "inputThroughEntryId": plan.input_through_entry_id,
        "resultEntryId": result_id,
        "compactedEntryIds": list(plan.compacted_entry_ids),
        "retainedEntryIds": list(plan.retained_entry_ids),
        "sourceDigest": plan.source_digest,
    }
    return [record(started)]


def attempt(
    operation: Run | Compaction,
    plan: StartStep,
    *,
    step_id: str,
    attempt_id: str,
    snapshot: ConfigurationSnapshot,
    digest: str,
) -> Drafts:
    """Announce a model request (7.3)."""
    value: StepAttempt = {
        "type": "stepAttempt",
        "operationId": operation.operation_id,
        "stepId": step_id,
        "attemptId": attempt_id,
        "stepKind": plan.step_kind,
        "attempt": plan.attempt,
        "contextThroughEntryId": plan.context_through_entry_id,
        "configurationSnapshot": snapshot,
        "configurationDigest": digest,
    }
    return [record(value)]


def abort_requested(operation: Run | Compaction, open_call_id: str | None) -> Drafts:
    """Record that the user wants the operation to stop (7.6)."""
    value: AbortRequested = {
        "type": "abortRequested",
        "operationId": operation.operation_id,
        "operationKind": operation.kind,
        "phase": "model",
        "reason": "escape",
    }
    if operation.kind == "compaction":
        value["phase"] = "compact"
    elif open_call_id is not None:
        value["phase"] = "tool"
        value["toolCallId"] = open_call_id
    return [record(value)]


def step_failed(step: Step, error: WireError) -> RecordDraft:
    """Close the open attempt (7.4)."""
    value: StepFailed = {
        "type": "stepFailed",
        "operationId": step.operation_id,
        "stepId": step.step_id,
        "attemptId": step.attempt_id,
        "error": error,
    }
    return record(value)


def finished(operation: Run | Compaction, plan: Finish) -> RecordDraft:
    """Record the terminal that the plan names (7.7)."""
    value: OperationFinished = {
        "type": "operationFinished",
        "operationId": operation.operation_id,
        "operationKind": operation.kind,
        "outcome": plan.outcome,
    }
    if plan.completion is not None:
        value["completion"] = plan.completion
    if plan.final_entry_id is not None:
        value["finalEntryId"] = plan.final_entry_id
    if plan.error is not None:
        value["error"] = plan.error
    return record(value)


def synthetic(step: Step, result: SyntheticResult) -> EntryDraft:
    """Turn a planned synthetic result into its entry: form A if the tool was started, else B."""
    message: ToolMessage = {
        "role": "tool",
        "content": result.content,
        "tool_call_id": result.tool_call_id,
    }
    if result.reason == "interrupted":
        return _interrupted(step, result, message)
    entry: UnstartedToolEntry = {
        "type": "message",
        "stepId": step.step_id,
        "assistantEntryId": result.assistant_entry_id,
        "toolIndex": result.tool_index,
        "message": message,
        "toolName": result.tool_name,
        "result": {"type": "synthetic", "reason": result.reason},
    }
    return EntryDraft(kind="entry", entry=entry)


def tool_started(intent: ToolIntent) -> RecordDraft:
    """Record that a tool is about to run (7.5)."""
    value: ToolStarted = {
        "type": "toolStarted",
        "operationId": intent.operation_id,
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
    }
    return record(value, fact_id=intent.tool_started_id)


def _interrupted(step: Step, result: SyntheticResult, message: ToolMessage) -> EntryDraft:
    if result.tool_started_id is None or result.result_entry_id is None:
        raise ValueError("an interrupted result names its intent and its provisioned id")
    entry: StartedToolEntry = {
        "type": "message",
        "stepId": step.step_id,
        "message": message,
        "toolName": result.tool_name,
        "toolStartedId": result.tool_started_id,
        "result": {"type": "synthetic", "reason": "interrupted"},
    }
    return EntryDraft(kind="entry", id=result.result_entry_id, entry=entry)
