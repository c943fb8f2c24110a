"""Compactions (session-format sections 7.2 and 6.6).

The start record names every source entry up to its input: first those to be summarised, then
those to be retained; the digest proves that they are the ones of this file. The entry replaces
the active context by the summary and the retained messages, and moves the boundary back to the
input; the transcript stays whole.
"""

from __future__ import annotations

from perdure.core.constants import SUMMARY_PREFIX
from perdure.core.messages import Message
from perdure.core.records import CompactionStarted
from perdure.core.reducer.books import Books, EntryInfo, Summary
from perdure.core.reducer.fields import Form, array, closed, digest_text, found, identifier, string
from perdure.core.reducer.messages import message_of
from perdure.core.reducer.operations import live_operation, start_operation
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.transcript import is_legal
from perdure.core.state import Compaction
from perdure.json_types import JsonObject, JsonValue

_STARTED = Form(*CompactionStarted.__annotations__)
_ENTRY_KEYS = frozenset(
    {"type", "operationId", "summary", "compactedThroughEntryId", "retainedTail"}
)
_ITEM_KEYS = frozenset({"sourceEntryId", "message"})


def compaction_started(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Accept a compaction (7.2)."""
    _, operation, kind, through, result, summarised, kept, recorded = _STARTED.of(record)
    operation_id = start_operation(books, operation, kind, "compaction")
    input_id = identifier(through)
    result_id = books.reserve(result, "compactionResult")
    entry = books.entries.get(input_id)
    if entry is None:
        raise Refusal("INVALID_REFERENCE")
    compacted = array(summarised)
    retained = array(kept)
    if not compacted:
        raise Refusal("INVALID_FACT")
    named = [identifier(value) for value in compacted + retained]
    if not entry.has_message or named != books.sources[: entry.sources]:
        raise Refusal("INVALID_REFERENCE")
    if digest_text(recorded) != books.digests.of(entry.sources):
        raise Refusal("INVALID_REFERENCE")
    books.now.operation = Compaction(
        operation_id=operation_id,
        input_through_entry_id=input_id,
        result_entry_id=result_id,
        compacted_count=len(compacted),
        step=None,
        abort_requested=False,
    )


def compaction_entry(books: Books, fact_id: str, entry: JsonObject) -> None:
    """Put the summary in place of what it summarises (6.6)."""
    if books.reserved.get(fact_id) != "compactionResult":
        raise Refusal("INVALID_REFERENCE")
    closed(entry, _ENTRY_KEYS)
    operation = live_operation(books, entry.get("operationId"))
    if not isinstance(operation, Compaction):
        raise Refusal("INVALID_TRANSITION")
    if operation.result_entry_id != fact_id:
        raise Refusal("INVALID_REFERENCE")
    through = found(entry.get("compactedThroughEntryId"), books.entries)
    summary = string(entry.get("summary"))
    items = array(entry.get("retainedTail"))
    tail = _retained_tail(books, operation, through, items)
    _settle(books, operation, fact_id)
    books.use(fact_id)
    last = books.entries[operation.input_through_entry_id]
    books.now.summary = Summary(summary, through.sources, last.sources, len(books.sources))
    books.now.context = [summary_message(summary), *tail]
    books.now.boundary = operation.input_through_entry_id


def summary_message(summary: str) -> Message:
    """Return what the active context begins with after a compaction."""
    return {"role": "user", "content": SUMMARY_PREFIX + summary}


def _retained_tail(
    books: Books, operation: Compaction, through: EntryInfo, items: list[JsonValue]
) -> list[Message]:
    """Apply rows 7 to 11."""
    last = books.entries[operation.input_through_entry_id]
    if through.position > last.position:
        raise Refusal("INVALID_REFERENCE")
    expected = range(through.sources, last.sources)
    tail: list[Message] = []
    for number, value in enumerate(items):
        item = closed(value, _ITEM_KEYS)
        source_id = identifier(item.get("sourceEntryId"))
        message = message_of(item.get("message"))
        if number >= len(expected) or books.sources[expected[number]] != source_id:
            raise Refusal("INVALID_REFERENCE")
        if books.transcript[expected[number]] != message:
            raise Refusal("INVALID_REFERENCE")
        tail.append(message)
    if len(tail) != len(expected):
        raise Refusal("INVALID_REFERENCE")
    if not is_legal(tail):
        raise Refusal("INVALID_TRANSCRIPT")
    return tail


def _settle(books: Books, operation: Compaction, fact_id: str) -> None:
    """Apply row 12 and close the attempt; its step gets no stop reason."""
    step = operation.step
    if step is None or step.status != "attempting":
        raise Refusal("INVALID_TRANSITION")
    books.closed[step.attempt_id] = None
    books.now.operation = operation.with_step(step.settled(fact_id))
    books.entries[fact_id] = EntryInfo(
        position=len(books.entries),
        sources=len(books.sources),
        has_message=False,
        operation_id=operation.operation_id,
        step_id=step.step_id,
        attempt_id=step.attempt_id,
    )
