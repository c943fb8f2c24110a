"""Tool intents (session-format section 7.5).

An intent names one call of an answer that ended in tool use, by entry and index; a call has at
most one intent or result. Its tool stands in the configuration under which the answer was made.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from perdure.core.facts import Replay
from perdure.core.messages import Call, calls_of
from perdure.core.reducer.books import Books, EntryInfo, IntentInfo
from perdure.core.reducer.fields import identifier, integer, json_object, one_of, text
from perdure.core.reducer.operations import live_operation
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Prefix, Run, ToolIntent
from perdure.json_types import JsonObject

_REPLAY = ("safe", "never")


class _NamedCall(NamedTuple):
    assistant_id: str
    tool_index: int
    call_id: str
    name: str
    answer: EntryInfo


def tool_started(books: Books, fact_id: str, record: JsonObject) -> None:
    """Note that a tool is about to run (7.5)."""
    run = live_operation(books, record)
    if not isinstance(run, Run):
        raise Refusal("INVALID_TRANSITION")
    call = _named_call(books, run, record)
    arguments = json_object(record.get("arguments"))
    replay = one_of(record.get("replay"), _REPLAY)
    replay_key = text(record.get("replayKey"))
    environment_identity = text(record.get("environmentIdentity"))
    if not _was_declared(books, call):
        raise Refusal("INVALID_TRANSITION")
    intent = ToolIntent(
        operation_id=run.operation_id,
        tool_started_id=fact_id,
        step_id=cast(str, record["stepId"]),
        assistant_entry_id=call.assistant_id,
        tool_index=call.tool_index,
        tool_call_id=call.call_id,
        tool_name=call.name,
        arguments=arguments,
        replay=cast(Replay, replay),
        replay_key=replay_key,
        environment_identity=environment_identity,
        result_entry_id=books.reserve(record.get("resultEntryId"), "toolResult"),
    )
    _open(books, run, intent)


def names_call(books: Books, entry: EntryInfo, index: int, call_id: str, name: str) -> bool:
    """Tell whether the entry has a call with this id and name at this index."""
    message = books.message(entry)
    calls: list[Call] = [] if message is None else calls_of(message)
    if index >= len(calls):
        return False
    call = calls[index]
    return call["id"] == call_id and call["function"]["name"] == name


def _named_call(books: Books, run: Run, record: JsonObject) -> _NamedCall:
    """Apply rows 2 to 6."""
    assistant_id = identifier(record.get("assistantEntryId"), books.entries)
    answer = books.entries.get(assistant_id)
    if answer is None or answer.stop_reason != "toolUse" or answer.operation_id != run.operation_id:
        raise Refusal("INVALID_REFERENCE")
    tool_index = integer(record.get("toolIndex"))
    call_id = text(record.get("toolCallId"))
    name = text(record.get("toolName"))
    if not names_call(books, answer, tool_index, call_id, name):
        raise Refusal("INVALID_REFERENCE")
    if answer.step_id != record.get("stepId"):
        raise Refusal("INVALID_REFERENCE")
    if (assistant_id, tool_index) in books.taken:
        raise Refusal("INVALID_TRANSITION")
    return _NamedCall(assistant_id, tool_index, call_id, name, answer)


def _was_declared(books: Books, call: _NamedCall) -> bool:
    attempt = books.attempts[cast(str, call.answer.attempt_id)]
    return any(tool["name"] == call.name for tool in attempt.configuration_snapshot["tools"])


def _open(books: Books, run: Run, intent: ToolIntent) -> None:
    books.intents[intent.tool_started_id] = IntentInfo(
        tool_started_id=intent.tool_started_id,
        operation_id=intent.operation_id,
        step_id=intent.step_id,
        tool_call_id=intent.tool_call_id,
        tool_name=intent.tool_name,
        result_entry_id=intent.result_entry_id,
    )
    books.taken[intent.assistant_entry_id, intent.tool_index] = None
    books.now.intents.append(intent)
    intents = Prefix(books.now.intents)
    books.now.operation = run.with_intents(intents, run.pending | {intent.tool_started_id})
