"""Transactions and fact envelopes (session-format section 5).

The order of the checks is part of the format: object, seq, expected seq, id, timestamp, used id,
kind, the checks of the kind, reserved id. The transcript is judged once per transaction, after
its last fact, so another fault of a later fact wins. A fault is reported with the seq that the
fact carries, as soon as it is known to carry one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from perdure.core import facts as wire
from perdure.core.reducer.attempts import step_attempt, step_failed
from perdure.core.reducer.books import Books
from perdure.core.reducer.compactions import compaction_started
from perdure.core.reducer.entries import entry_fact
from perdure.core.reducer.fields import closed, identifier, integer, json_object
from perdure.core.reducer.operations import abort_requested, operation_finished, run_started
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.tools import tool_started
from perdure.core.reducer.usage import usage_fact
from perdure.json_types import JsonObject, JsonValue

RecordRule: TypeAlias = Callable[[Books, str, JsonObject], None]


def _keys(form: type) -> frozenset[str]:
    return frozenset(form.__annotations__)


_RECORDS: Mapping[str, tuple[frozenset[str], RecordRule]] = {
    "runStarted": (_keys(wire.RunStarted), run_started),
    "compactionStarted": (_keys(wire.CompactionStarted), compaction_started),
    "stepAttempt": (_keys(wire.StepAttempt), step_attempt),
    "stepFailed": (_keys(wire.StepFailed), step_failed),
    "toolStarted": (_keys(wire.ToolStarted), tool_started),
    "abortRequested": (_keys(wire.AbortRequested), abort_requested),
    "operationFinished": (_keys(wire.OperationFinished), operation_finished),
}
_ENTRY_KEYS = _keys(wire.EntryFact)
_RECORD_KEYS = _keys(wire.RecordFact)
_USAGE_KEYS = _keys(wire.UsageFact)


def accept_transaction(books: Books, value: JsonValue, *, length: int) -> None:
    """Enter the facts of one line of ``length`` bytes; raises Refusal with the books half done."""
    facts = value if isinstance(value, list) else [value]
    if not facts:
        raise Refusal("EMPTY_TRANSACTION")
    for fact in facts:
        _accept_fact(books, fact)
    now = books.now
    if not now.legal:
        raise Refusal("INVALID_TRANSCRIPT", seq=now.next_seq - 1)
    now.length += length
    now.lines += 1


def _accept_fact(books: Books, value: JsonValue) -> None:
    fact = json_object(value)
    seq = integer(fact.get("seq"), minimum=1)
    now = books.now
    try:
        if seq != now.next_seq:
            raise Refusal("SEQ_MISMATCH")
        fact_id = identifier(fact.get("id"))
        now.timestamp = integer(fact.get("timestamp"))
        if fact_id in books.facts:
            raise Refusal("DUPLICATE_ID")
        _accept_kind(books, fact_id, fact)
        if books.is_reserved(fact_id):
            raise Refusal("DUPLICATE_ID")
    except Refusal as refusal:
        refusal.seq = seq
        raise
    books.use(fact_id)
    now.next_seq = seq + 1


def _accept_kind(books: Books, fact_id: str, fact: JsonObject) -> None:
    match fact.get("kind"):
        case "entry":
            closed(fact, _ENTRY_KEYS)
            entry_fact(books, fact_id, fact.get("entry"))
        case "record":
            closed(fact, _RECORD_KEYS)
            _accept_record(books, fact_id, fact.get("record"))
        case "usage":
            closed(fact, _USAGE_KEYS)
            usage_fact(books, fact)
        case _:
            raise Refusal("INVALID_FACT")


def _accept_record(books: Books, fact_id: str, value: JsonValue) -> None:
    record = json_object(value)
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _RECORDS:
        raise Refusal("INVALID_FACT")
    keys, rule = _RECORDS[kind]
    rule(books, fact_id, closed(record, keys))
