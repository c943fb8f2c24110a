"""What is committed when an effect ends: pure functions from an outcome to *one* transaction.

The terminal that a settlement carries is the one the planner would plan, had only the terminal
been lost (session-format section 17). Usage stands before the fact that ends the operation.
"""

from __future__ import annotations

from perdure.agent.records import Drafts, finished, step_failed
from perdure.core.compaction import SummaryWork, usable_summary
from perdure.core.constants import ABORTED_ERROR, EMPTY_RESPONSE_ERROR
from perdure.core.facts import Draft, EntryDraft, UsageCounters, UsageDraft
from perdure.core.messages import calls_of, is_blank
from perdure.core.plans import Finish
from perdure.core.records import WireError
from perdure.core.state import Compaction, Run, Step, ToolIntent
from perdure.errors import RejectedTransaction
from perdure.providers.base import Answer, ProviderError
from perdure.tools.base import ToolResult

CUT_OFF: WireError = {
    "code": "empty_response",
    "message": "model reached its output limit before it gave a complete answer",
}
UNASKED_CALL: WireError = {
    "code": "model_error",
    "message": "model called a tool instead of writing a summary",
}


def settle_answer(run: Run, step: Step, answer: Answer, *, entry_id: str) -> Drafts:
    """Settle an assistant step: the entry, its usage and, after a plain stop, the terminal."""
    if answer.stop_reason == "length" and not calls_of(answer.message):
        return settle_failure(run, step, CUT_OFF, usage=answer.usage)
    entry = EntryDraft(
        kind="entry",
        id=entry_id,
        entry={
            "type": "message",
            "stepId": step.step_id,
            "attemptId": step.attempt_id,
            "stopReason": answer.stop_reason,
            "message": answer.message,
        },
    )
    settled = [entry, *usage_of(step, answer.usage)]
    if answer.stop_reason != "stop":
        return settled
    if is_blank(answer.message["content"] or ""):
        return [*settled, finished(run, Finish("failed", error=EMPTY_RESPONSE_ERROR))]
    return [*settled, finished(run, Finish("completed", "normal", entry_id))]


def settle_summary(compaction: Compaction, step: Step, work: SummaryWork, answer: Answer) -> Drafts:
    """Settle a compaction step: usage, compaction entry, terminal; or its failure."""
    summary = usable_summary(answer.message, answer.stop_reason)
    if summary is None:
        return settle_failure(compaction, step, _why_unusable(answer), usage=answer.usage)
    entry_id = compaction.result_entry_id
    return [
        *usage_of(step, answer.usage),
        EntryDraft(kind="entry", id=entry_id, entry=work.entry(summary)),
        finished(compaction, Finish("completed", final_entry_id=entry_id)),
    ]


def settle_error(operation: Run | Compaction, step: Step, error: ProviderError) -> Drafts:
    """Settle a failed request with the real message."""
    wire: WireError = {"code": "model_error", "message": str(error) or "provider request failed"}
    return settle_failure(operation, step, wire, usage=error.usage)


def settle_failure(
    operation: Run | Compaction, step: Step, error: WireError, *, usage: UsageCounters | None
) -> Drafts:
    """Usage if known, ``stepFailed`` and the failed terminal."""
    terminal = finished(operation, Finish("failed", error=error))
    return [*usage_of(step, usage), step_failed(step, error), terminal]


def settle_unstorable(
    operation: Run | Compaction, step: Step, refusal: RejectedTransaction
) -> Drafts:
    """Settle an answer that the log refused; what it used is not kept: that may be the reason."""
    wire: WireError = {
        "code": "model_error",
        "message": f"the model's answer cannot be stored: {refusal}",
    }
    return settle_failure(operation, step, wire, usage=None)


def close_aborted(step: Step, *, usage: UsageCounters | None) -> Drafts:
    """Close an attempt whose answer came after the abort was durable (section 18)."""
    return [*usage_of(step, usage), step_failed(step, ABORTED_ERROR)]


def usage_of(step: Step, usage: UsageCounters | None) -> list[Draft]:
    """Return the usage fact of the step's attempt, when the provider said what it used."""
    if usage is None:
        return []
    operation, attempt = step.operation_id, step.attempt_id
    return [UsageDraft(kind="usage", operationId=operation, attemptId=attempt, usage=usage)]


def tool_result(intent: ToolIntent, result: ToolResult) -> EntryDraft:
    """Form A: the result of a started tool, under its provisioned id (6.4)."""
    return EntryDraft(
        kind="entry",
        id=intent.result_entry_id,
        entry={
            "type": "message",
            "stepId": intent.step_id,
            "message": {
                "role": "tool",
                "content": result.content,
                "tool_call_id": intent.tool_call_id,
            },
            "toolName": intent.tool_name,
            "toolStartedId": intent.tool_started_id,
            "result": {"type": result.type},
        },
    )


def _why_unusable(answer: Answer) -> WireError:
    if calls_of(answer.message):
        return UNASKED_CALL
    return CUT_OFF if answer.stop_reason == "length" else EMPTY_RESPONSE_ERROR
