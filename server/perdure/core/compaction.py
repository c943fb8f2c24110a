"""Compaction (section 19): what is summarised, what is kept, and the request for the summary.

Two boundaries answer two questions. The *cut* of the active context says what the model no
longer sees in full. The *partition* of the source entries says, for an audit, which durable
messages the summary stands for. They agree because the kept messages are always the last source
entries: a prior summary can only be message 0 of the active context, and the cut is at least 1.

A compaction in progress is described by the session alone, so there is one way to build its
request: from the state, for the first attempt and for the one after a crash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from perdure.core.context import messages_after
from perdure.core.entries import CompactionEntry, TailItem
from perdure.core.messages import AssistantMessage, Message, StopReason, calls_of, is_blank
from perdure.core.state import Compaction, SessionState

KEPT_MESSAGES = 6

SUMMARY_INSTRUCTION = (
    "You are given the earlier part of a conversation between a user and a coding agent as JSON. "
    "Write a compact summary that lets the agent go on without that part. Keep the user's goals "
    "and constraints, the decisions taken and why, the files that were changed and how, the "
    "errors that were met, and the next steps. Answer with the summary only."
)


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """The partition that ``compactionStarted`` records (7.2). Both id lists are in file order."""

    input_through_entry_id: str
    compacted_entry_ids: tuple[str, ...]
    retained_entry_ids: tuple[str, ...]
    source_digest: str


@dataclass(frozen=True, slots=True)
class SummaryWork:
    """What an unfinished compaction still has to do: ask for the summary, store it with the tail.

    ``messages`` holds the one user message of the request; ``system`` is its instruction.
    """

    operation_id: str
    system: str
    messages: tuple[Message, ...]
    compacted_through_entry_id: str
    retained_tail: tuple[TailItem, ...]

    def entry(self, summary: str) -> CompactionEntry:
        """Return the compaction entry that stores ``summary`` (6.6)."""
        return {
            "type": "compaction",
            "operationId": self.operation_id,
            "summary": summary,
            "compactedThroughEntryId": self.compacted_through_entry_id,
            "retainedTail": list(self.retained_tail),
        }


def plan_compaction(state: SessionState) -> CompactionPlan | None:
    """Return the partition for a compaction now, or None when there is nothing to compact.

    Call it on an idle session; reads the messages that no digest has covered yet.
    """
    cut = find_cut(state.active_context)
    if cut == 0:
        return None
    sources = state.source_ids
    compacted = len(sources) - (len(state.active_context) - cut)
    return CompactionPlan(
        input_through_entry_id=sources[-1],
        compacted_entry_ids=tuple(sources[:compacted]),
        retained_entry_ids=tuple(sources[compacted:]),
        source_digest=state.digests.of(len(sources)),
    )


def find_cut(messages: Sequence[Message]) -> int:
    """Return the index of the first message to keep, 0 when everything is kept.

    At least the last ``KEPT_MESSAGES`` stay; the cut moves towards the front until it stands on
    a user message, so no call is parted from its result.
    """
    cut = max(len(messages) - KEPT_MESSAGES, 0)
    while cut > 0 and messages[cut]["role"] != "user":
        cut -= 1
    return cut


def summary_work(state: SessionState, operation: Compaction) -> SummaryWork:
    """Return the request and the tail of the unfinished compaction ``operation`` of ``state``.

    User entries added after the compaction was accepted are left out of both.
    """
    later = messages_after(state, operation.input_through_entry_id)
    through = len(state.source_ids) - later
    first = operation.compacted_count
    retained = zip(state.source_ids[first:through], state.transcript[first:through], strict=True)
    # A prior summary stays part of the input, whatever partition another program recorded.
    cut = max(len(state.active_context) - later - (through - first), 1)
    return SummaryWork(
        operation_id=operation.operation_id,
        system=SUMMARY_INSTRUCTION,
        messages=(_as_user_message(state.active_context[:cut]),),
        compacted_through_entry_id=state.source_ids[first - 1],
        retained_tail=tuple({"sourceEntryId": i, "message": m} for i, m in retained),
    )


def usable_summary(message: AssistantMessage, stop_reason: StopReason) -> str | None:
    """Return the summary's text, or None when the answer must not be stored as one.

    Accepted is a plain stop with text that is not blank, and without calls.
    """
    text = message["content"]
    if stop_reason != "stop" or calls_of(message) or text is None or is_blank(text):
        return None
    return text


def _as_user_message(messages: Sequence[Message]) -> Message:
    """Wrap the JSON text of ``messages`` as what the user says."""
    return {"role": "user", "content": orjson.dumps(list(messages)).decode()}
