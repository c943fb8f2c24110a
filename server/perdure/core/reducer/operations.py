"""Operations from start to terminal (session-format sections 7.1, 7.6 and 7.7).

At most one operation is unfinished at any time, so the *live* operation is the current one. A
run is completed only by the entry that settled its latest step: a stop with text (normal) or
cut calls (truncated). No step follows a stop or a length, so an answer of the run with the right
stop reason is that entry. A compaction is completed by the one entry that can settle its step.
An operation is aborted only after an abort was requested, with no attempt open and no intent
pending. Whether calls are unanswered is not asked here; the store does (section 13).
"""

from __future__ import annotations

from typing import cast

from perdure.core.messages import calls_of, is_blank
from perdure.core.records import AbortRequested, OperationFinished, OperationKind, RunStarted
from perdure.core.reducer.books import Books, EntryInfo
from perdure.core.reducer.fields import (
    Form,
    check_error,
    closed,
    found,
    identifier,
    one_of,
    reference,
)
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Compaction, Idle, Prefix, Run
from perdure.json_types import JsonObject, JsonValue

_RUN_STARTED = Form(*RunStarted.__annotations__)
_ABORT_KEYS = frozenset(AbortRequested.__annotations__)
_FINISHED_KEYS = frozenset(OperationFinished.__annotations__)
_PHASES = ("model", "tool", "compact")
_OUTCOMES = ("completed", "aborted", "failed")
_STOP_REASON_OF_COMPLETION = {"normal": "stop", "truncated": "length"}


def live_operation(books: Books, operation_id: JsonValue) -> Run | Compaction:
    """Return the unfinished operation, which must be the one with this id."""
    operation = books.now.operation
    if isinstance(operation, Idle) or operation.operation_id != operation_id:
        reference(operation_id, books.operations)
        raise Refusal("INVALID_TRANSITION")
    return operation


def start_operation(
    books: Books, operation_id: JsonValue, kind: JsonValue, expected: OperationKind
) -> str:
    """Apply rows 1 and 2 of 7.1 and 7.2; return the operation's id, reserved."""
    if kind != expected or not isinstance(books.now.operation, Idle):
        raise Refusal("INVALID_TRANSITION")
    reserved = books.reserve(operation_id, "identity")
    books.operations[reserved] = expected
    return reserved


def run_started(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Accept a prompt (7.1)."""
    _, operation_id, kind, input_id = _RUN_STARTED.of(record)
    run_id = start_operation(books, operation_id, kind, "run")
    message = books.message(found(input_id, books.entries))
    if message is None or message["role"] != "user":
        raise Refusal("INVALID_REFERENCE")
    books.now.intents = []
    books.now.operation = Run(
        run_id,
        cast("str", input_id),
        step=None,
        intents=Prefix(books.now.intents),
        pending=frozenset(),
        abort_requested=False,
    )


def abort_requested(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Note that the user wants the operation to stop (7.6)."""
    closed(record, _ABORT_KEYS)
    operation = live_operation(books, record.get("operationId"))
    if record.get("operationKind") != operation.kind or record.get("reason") != "escape":
        raise Refusal("INVALID_TRANSITION")
    phase = one_of(record.get("phase"), _PHASES)
    if (phase == "tool") != isinstance(record.get("toolCallId"), str):
        raise Refusal("INVALID_FACT")
    if operation.abort_requested:
        raise Refusal("INVALID_TRANSITION")
    books.now.operation = operation._replace(abort_requested=True)


def operation_finished(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Write the terminal (7.7)."""
    closed(record, _FINISHED_KEYS)
    operation = live_operation(books, record.get("operationId"))
    outcome = record.get("outcome")
    if record.get("operationKind") != operation.kind or outcome not in _OUTCOMES:
        raise Refusal("INVALID_TRANSITION")
    if outcome == "completed":
        _check_completed(books, operation, record)
    elif outcome == "aborted":
        _check_aborted(operation, record)
    elif "finalEntryId" in record:
        raise Refusal("INVALID_FACT")
    if outcome != "completed" and "completion" in record:
        raise Refusal("INVALID_FACT")
    if outcome == "failed":
        check_error(record.get("error"))
    elif "error" in record:
        raise Refusal("INVALID_FACT")
    books.now.intents = []
    books.now.operation = Idle()


def _check_completed(books: Books, operation: Run | Compaction, record: JsonObject) -> None:
    if isinstance(operation, Run):
        completion = one_of(record.get("completion"), tuple(_STOP_REASON_OF_COMPLETION))
        entry = found(record.get("finalEntryId"), books.entries)
        _check_final_answer(books, operation, entry, completion)
        return
    if "completion" in record:
        raise Refusal("INVALID_FACT")
    final_id = identifier(record.get("finalEntryId"), books.entries)
    if operation.step is None or operation.step.settled_entry_id != final_id:
        raise Refusal("INVALID_REFERENCE")


def _check_final_answer(books: Books, run: Run, entry: EntryInfo, completion: str) -> None:
    message = books.message(entry)
    if message is None or entry.operation_id != run.operation_id:
        raise Refusal("INVALID_REFERENCE")
    if entry.stop_reason != _STOP_REASON_OF_COMPLETION[completion]:
        raise Refusal("INVALID_REFERENCE")
    if completion == "normal" and is_blank(message["content"]):
        raise Refusal("INVALID_TRANSCRIPT")
    if completion == "truncated" and not calls_of(message):
        raise Refusal("INVALID_TRANSCRIPT")
    if run.pending:
        raise Refusal("INVALID_TRANSCRIPT")


def _check_aborted(operation: Run | Compaction, record: JsonObject) -> None:
    pending = isinstance(operation, Run) and operation.pending
    attempting = operation.step is not None and operation.step.status == "attempting"
    if "finalEntryId" in record or not operation.abort_requested or pending or attempting:
        raise Refusal("INVALID_TRANSITION")
