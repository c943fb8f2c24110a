"""Transactions and fact envelopes (session-format section 5).

The order of the checks is part of the format: object, seq, expected seq, id, timestamp, used id,
kind, the checks of the kind, reserved id. The transcript is judged once per transaction, after
its last fact, so another fault of a later fact wins. A fault is reported with the seq that the
fact carries, as soon as it is known to carry one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from perdure.core.ids import uuid7_match
from perdure.core.reducer.attempts import step_attempt, step_failed
from perdure.core.reducer.books import Books
from perdure.core.reducer.compactions import compaction_started
from perdure.core.reducer.entries import entry_fact
from perdure.core.reducer.fields import integer, json_object
from perdure.core.reducer.operations import abort_requested, operation_finished, run_started
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.tools import tool_started
from perdure.core.reducer.usage import usage_fact
from perdure.core.scalars import MAX_INTEGER
from perdure.json_types import JsonObject, JsonValue

RecordRule: TypeAlias = Callable[[Books, str, JsonObject], None]


_RECORDS: Mapping[str, RecordRule] = {
    "runStarted": run_started,
    "compactionStarted": compaction_started,
    "stepAttempt": step_attempt,
    "stepFailed": step_failed,
    "toolStarted": tool_started,
    "abortRequested": abort_requested,
    "operationFinished": operation_finished,
}


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


def _accept_fact(books: Books, fact: JsonValue) -> None:
    """Apply rows 1 to 9, the first five without a call each: this is where most time goes."""
    now = books.now
    used = books.facts
    if not isinstance(fact, dict):
        raise Refusal("INVALID_FACT")
    seq = fact.get("seq")
    if type(seq) is not int or seq != now.next_seq:
        raise Refusal("SEQ_MISMATCH", seq=integer(seq, minimum=1))
    try:
        fact_id = fact.get("id")
        if not isinstance(fact_id, str) or uuid7_match(fact_id) is None:
            raise Refusal("INVALID_FACT")
        timestamp = fact.get("timestamp")
        if type(timestamp) is not int or not 0 <= timestamp <= MAX_INTEGER:
            raise Refusal("INVALID_FACT")
        now.timestamp = timestamp
        if fact_id in used:
            raise Refusal("DUPLICATE_ID")
        _accept_kind(books, fact_id, fact)
        if fact_id in books.reserved and fact_id not in used:
            raise Refusal("DUPLICATE_ID")
    except Refusal as refusal:
        refusal.seq = seq
        raise
    used[fact_id] = None
    now.next_seq = seq + 1


def _accept_kind(books: Books, fact_id: str, fact: JsonObject) -> None:
    """Apply rows 7 and 8. Where four keys are there, a fifth that is needed is the only other."""
    kind = fact.get("kind")
    if kind == "usage":
        usage_fact(books, fact)
    elif len(fact) != 5:
        raise Refusal("INVALID_FACT")
    elif kind == "record":
        record = json_object(fact.get("record"))
        name = record.get("type")
        if not isinstance(name, str) or name not in _RECORDS:
            raise Refusal("INVALID_FACT")
        _RECORDS[name](books, fact_id, record)
    elif kind == "entry":
        entry_fact(books, fact_id, json_object(fact.get("entry")))
    else:
        raise Refusal("INVALID_FACT")
