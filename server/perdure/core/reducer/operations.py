"""Operations from start to terminal (session-format sections 7.1, 7.6 and 7.7).

At most one operation is unfinished at any time, so the *live* operation is the current one. A
run is completed only by the entry that settled its latest step: a stop with text (normal) or
cut calls (truncated). No step follows a stop or a length, so an answer of the run with the right
stop reason is that entry. A compaction is completed by the one entry that can settle its step.
An operation is aborted only after an abort was requested, with no attempt open and no intent
pending. Whether calls are unanswered is not asked here; the store does (section 13).
"""

from __future__ import annotations

from perdure.core.facts import OperationKind
from perdure.core.messages import calls_of, is_blank
from perdure.core.reducer.books import Books
from perdure.core.reducer.fields import check_error, identifier, one_of, reference
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import Compaction, Idle, Prefix, Run
from perdure.json_types import JsonObject

_PHASES = ("model", "tool", "compact")
_OUTCOMES = ("completed", "aborted", "failed")
_STOP_REASON_OF_COMPLETION = {"normal": "stop", "truncated": "length"}


def live_operation(books: Books, record: JsonObject) -> Run | Compaction:
    """Return the unfinished operation that the record names in ``operationId``."""
    operation_id = reference(record.get("operationId"), books.operations)
    operation = books.now.operation
    if isinstance(operation, Idle) or operation.operation_id != operation_id:
        raise Refusal("INVALID_TRANSITION")
    return operation


def start_operation(books: Books, record: JsonObject, kind: OperationKind) -> str:
    """Apply rows 1 and 2 of 7.1 and 7.2; return the operation's id, reserved."""
    if record.get("operationKind") != kind or not isinstance(books.now.operation, Idle):
        raise Refusal("INVALID_TRANSITION")
    operation_id = books.reserve(record.get("operationId"), "identity")
    books.operations[operation_id] = kind
    return operation_id


def run_started(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Accept a prompt (7.1)."""
    operation_id = start_operation(books, record, "run")
    input_entry_id = reference(record.get("inputEntryId"), books.entries)
    message = books.message(books.entries[input_entry_id])
    if message is None or message["role"] != "user":
        raise Refusal("INVALID_REFERENCE")
    books.now.intents = []
    books.now.operation = Run(
        operation_id=operation_id,
        input_entry_id=input_entry_id,
        step=None,
        intents=Prefix(books.now.intents),
        pending=frozenset(),
        abort_requested=False,
    )


def abort_requested(books: Books, _fact_id: str, record: JsonObject) -> None:
    """Note that the user wants the operation to stop (7.6)."""
    operation = live_operation(books, record)
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
    operation = live_operation(books, record)
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
        final_id = identifier(record.get("finalEntryId"), books.entries)
        _check_final_answer(books, operation, final_id, completion)
        return
    if "completion" in record:
        raise Refusal("INVALID_FACT")
    final_id = identifier(record.get("finalEntryId"), books.entries)
    if operation.step is None or operation.step.settled_entry_id != final_id:
        raise Refusal("INVALID_REFERENCE")


def _check_final_answer(books: Books, run: Run, final_id: str, completion: str) -> None:
    entry = books.entries.get(final_id)
    message = None if entry is None else books.message(entry)
    if entry is None or message is None or entry.operation_id != run.operation_id:
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
