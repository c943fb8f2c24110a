"""Tool entries (session-format sections 6.4 and 6.5).

Form A is the result of a started tool, under the id that its intent set aside. Form B is the
fixed result of a call that was never started, under a fresh id. A synthetic result has the fixed
text of its reason; ``interrupted`` belongs to form A, the other four to form B.
"""

from __future__ import annotations

from typing import cast

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.core.entries import StartedToolEntry, UnstartedToolEntry
from perdure.core.messages import ToolMessage
from perdure.core.plans import SyntheticReason
from perdure.core.reducer.books import Books
from perdure.core.reducer.fields import Form, closed, found, identifier, integer, one_of, text
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.tools import names_call
from perdure.core.state import Run
from perdure.json_types import JsonObject

_STARTED = Form(*StartedToolEntry.__annotations__)
_UNSTARTED = Form(*UnstartedToolEntry.__annotations__)
_RESULT_KEYS = frozenset({"type", "reason"})
_RESULT_TYPES = ("success", "error", "synthetic")
_UNSTARTED_REASONS = ("invalidArguments", "unknownTool", "truncated", "aborted")


def tool_entry(books: Books, fact_id: str, entry: JsonObject, message: ToolMessage) -> None:
    """Accept a tool entry whose message has the right shape."""
    if "assistantEntryId" in entry or "toolIndex" in entry:
        _unstarted_result(books, fact_id, entry, message)
    else:
        _started_result(books, fact_id, entry, message)


def _started_result(books: Books, fact_id: str, entry: JsonObject, message: ToolMessage) -> None:
    """Apply 6.4."""
    _, step, _, tool, started_id, outcome = _STARTED.of(entry)
    result = closed(outcome, _RESULT_KEYS)
    step_id = identifier(step, books.first_attempts)
    name = text(tool)
    if books.reserved.get(fact_id) != "toolResult":
        raise Refusal("INVALID_REFERENCE")
    if one_of(result.get("type"), _RESULT_TYPES) == "synthetic":
        if result.get("reason") != "interrupted":
            raise Refusal("INVALID_FACT")
        _check_text(message, "interrupted")
    elif "reason" in result:
        raise Refusal("INVALID_FACT")
    intent_id, operation_id, *intended = found(started_id, books.intents)
    if intended != [step_id, message["tool_call_id"], name, fact_id]:
        raise Refusal("INVALID_REFERENCE")
    books.use(fact_id)
    run = books.now.operation
    if isinstance(run, Run) and run.operation_id == operation_id:  # else it is over
        books.now.operation = run.with_intents(run.intents, run.pending - {intent_id})
    books.append(fact_id, message, operation_id=operation_id, step_id=step_id)


def _unstarted_result(books: Books, fact_id: str, entry: JsonObject, message: ToolMessage) -> None:
    """Apply 6.5."""
    _, step, answer_id, index, _, tool, outcome = _UNSTARTED.of(entry)
    result = closed(outcome, _RESULT_KEYS)
    step_id = identifier(step, books.first_attempts)
    name = text(tool)
    if result.get("type") != "synthetic":
        raise Refusal("INVALID_FACT")
    reason = one_of(result.get("reason"), _UNSTARTED_REASONS)
    assistant_id = identifier(answer_id, books.entries)
    tool_index = integer(index)
    run = books.now.operation
    answer = books.entries.get(assistant_id)
    if answer is None or not answer.has_message or answer.step_id != step_id:
        raise Refusal("INVALID_REFERENCE")
    if not isinstance(run, Run) or answer.operation_id != run.operation_id:
        raise Refusal("INVALID_REFERENCE")
    if not names_call(books, answer, tool_index, message["tool_call_id"], name):
        raise Refusal("INVALID_REFERENCE")
    if (assistant_id, tool_index) in books.taken:
        raise Refusal("INVALID_TRANSITION")
    _check_text(message, cast(SyntheticReason, reason))
    books.taken[assistant_id, tool_index] = None
    books.append(fact_id, message, operation_id=run.operation_id, step_id=answer.step_id)


def _check_text(message: ToolMessage, reason: SyntheticReason) -> None:
    if message["content"] != SYNTHETIC_TEXT[reason]:
        raise Refusal("INVALID_TRANSCRIPT")
