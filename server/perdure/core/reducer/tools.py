"""Tool intents (session-format section 7.5).

An intent names one call of an answer that ended in tool use, by entry and index; a call has at
most one intent or result. Its tool stands in the configuration under which the answer was made.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TypeAlias, cast

from perdure.core.messages import Call, calls_of
from perdure.core.records import Replay, ToolStarted
from perdure.core.reducer.books import Books, EntryInfo, IntentInfo
from perdure.core.reducer.fields import Form, found, integer, json_object, one_of, text
from perdure.core.reducer.operations import live_operation
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Prefix, Run, ToolIntent
from perdure.json_types import JsonObject, JsonValue

_Call: TypeAlias = tuple[str, str, int, str, str]
"""Step, answer, index, id and name."""

_STARTED = Form(*ToolStarted.__annotations__)
_REPLAY = ("safe", "never")
_name_of = itemgetter("name")


def tool_started(books: Books, fact_id: str, record: JsonObject) -> None:
    """Note that a tool is about to run (7.5)."""
    _, operation, *named, arguments, replay, key, environment, result = _STARTED.of(record)
    run = live_operation(books, operation)
    if not isinstance(run, Run):
        raise Refusal("INVALID_TRANSITION")
    answer, call = _named_call(books, run, named)
    step_id, assistant_id, tool_index, call_id, name = call
    arguments = json_object(arguments)
    replay = one_of(replay, _REPLAY)
    key = text(key)
    environment = text(environment)
    if not _was_declared(books, answer, name):
        raise Refusal("INVALID_TRANSITION")
    result_id = books.reserve(result, "toolResult")
    run_id = run.operation_id
    rest = arguments, cast("Replay", replay), key, environment, result_id
    intents = books.now.intents
    intents.append(ToolIntent(run_id, fact_id, *call, *rest))
    books.intents[fact_id] = IntentInfo(fact_id, run_id, step_id, call_id, name, result_id)
    books.taken[assistant_id, tool_index] = None
    books.now.operation = run.with_intents(Prefix(intents), run.pending | {fact_id})


def names_call(
    books: Books, entry: EntryInfo, index: int, call_id: JsonValue, name: JsonValue
) -> bool:
    """Tell whether the entry has a call with this id and name at this index."""
    message = books.message(entry)
    calls: list[Call] = [] if message is None else calls_of(message)
    if index >= len(calls):
        return False
    call = calls[index]
    return call["id"] == call_id and call["function"]["name"] == name


def _named_call(books: Books, run: Run, named: list[JsonValue]) -> tuple[EntryInfo, _Call]:
    """Apply rows 2 to 6; return the answer, and step, answer, index, id and name of the call."""
    step_id, assistant_id, index, call_id, name = named
    answer = found(assistant_id, books.entries)
    if answer.stop_reason != "toolUse" or answer.operation_id != run.operation_id:
        raise Refusal("INVALID_REFERENCE")
    tool_index = integer(index)
    if not names_call(books, answer, tool_index, call_id, name):
        text(call_id)
        text(name)
        raise Refusal("INVALID_REFERENCE")
    if answer.step_id != step_id:
        raise Refusal("INVALID_REFERENCE")
    if (assistant_id, tool_index) in books.taken:
        raise Refusal("INVALID_TRANSITION")
    return answer, cast("_Call", (step_id, assistant_id, tool_index, call_id, name))


def _was_declared(books: Books, answer: EntryInfo, name: str) -> bool:
    attempt = books.attempts[cast("str", answer.attempt_id)]
    return name in map(_name_of, attempt.configuration_snapshot["tools"])
