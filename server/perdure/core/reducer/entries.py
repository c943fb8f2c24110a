"""User and assistant entries (session-format sections 6.2 and 6.3).

A message entry is appended to the transcript and to the active context, and becomes the
boundary. An assistant entry settles the open attempt of the unfinished run.
"""

from __future__ import annotations

from typing import cast

from perdure.core.entries import AssistantEntry
from perdure.core.messages import AssistantMessage, StopReason
from perdure.core.reducer.books import Books
from perdure.core.reducer.compactions import compaction_entry
from perdure.core.reducer.fields import Form, identifier, of_size, one_of
from perdure.core.reducer.messages import message_of
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.results import tool_entry
from perdure.core.state import Run
from perdure.json_types import JsonObject

_ASSISTANT = Form(*AssistantEntry.__annotations__)
_STOP_REASONS = ("stop", "toolUse", "length")


def entry_fact(books: Books, fact_id: str, entry: JsonObject) -> None:
    """Accept what stands under ``entry`` (section 6)."""
    kind = entry.get("type")
    if kind == "compaction":
        compaction_entry(books, fact_id, entry)
        return
    if kind != "message":
        raise Refusal("INVALID_FACT")
    message = message_of(entry.get("message"))
    if message["role"] == "tool":
        tool_entry(books, fact_id, entry, message)
    elif books.is_reserved(fact_id):
        raise Refusal("DUPLICATE_ID")
    elif message["role"] == "user":
        of_size(entry, 2)
        books.append(fact_id, message)
    else:
        _assistant_entry(books, fact_id, entry, message)


def _assistant_entry(
    books: Books, fact_id: str, entry: JsonObject, message: AssistantMessage
) -> None:
    _, step, answered, reason, _ = _ASSISTANT.of(entry)
    step_id = identifier(step, books.first_attempts)
    attempt_id = identifier(answered, books.attempts)
    stop_reason = cast("StopReason", one_of(reason, _STOP_REASONS))
    attempt = books.attempts.get(attempt_id)
    if attempt is None or attempt.step_id != step_id or attempt_id in books.closed:
        raise Refusal("INVALID_REFERENCE")
    if attempt.step_kind != "assistant":
        raise Refusal("INVALID_REFERENCE")
    run = books.now.operation
    if not isinstance(run, Run) or run.operation_id != attempt.operation_id:
        raise Refusal("INVALID_TRANSITION")
    has_calls = "tool_calls" in message
    if (stop_reason == "toolUse" and not has_calls) or (stop_reason == "stop" and has_calls):
        raise Refusal("INVALID_TRANSCRIPT")
    books.closed[attempt_id] = None
    books.now.operation = run.with_step(attempt.settled(fact_id, stop_reason))
    books.append(
        fact_id,
        message,
        operation_id=run.operation_id,
        step_id=step_id,
        attempt_id=attempt_id,
        stop_reason=stop_reason,
    )
