"""What only the store refuses: rules for our own commits that old files need not obey (13, H1-H6).

====================  ==========================================================================
``ABORT_REQUESTED``   after ``abortRequested`` (H4, H5): an answer, a summary, a result of a tool
                      that claims to know how it went, a new attempt, a new tool, any terminal
                      but ``aborted``. What an abort still needs stays: usage, ``stepFailed``,
                      synthetic results, ``operationFinished aborted``
``UNANSWERED_CALLS``  a terminal or a new attempt while a call of the last answer has no result
                      (H1, H2, H3)
``OPEN_ATTEMPT``      a terminal while a request is neither settled nor failed (H6)
====================  ==========================================================================

The first rule decides the race of abort and settlement: whoever is committed first wins, and the
other is refused. Facts of one transaction count in their order, so it may close what it ends.
The reducer has accepted the transaction before it comes here; the cost is that of the transaction.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from perdure.core.entries import Entry
from perdure.core.facts import Fact
from perdure.core.messages import calls_of
from perdure.core.records import Record
from perdure.core.state import Idle, Operation
from perdure.errors import RejectedTransaction


def admit(before: Operation, facts: Sequence[Fact], *, unanswered: Set[str]) -> None:
    """Check facts that the reducer accepts while the operation stands as ``before``.

    ``unanswered`` are the call ids that had no result then. Raises ``RejectedTransaction``.
    """
    turn = _turn_of(before, unanswered)
    for fact in facts:
        code = _refusal(turn, fact)
        if code is not None:
            raise RejectedTransaction(_MESSAGES[code], code=code, seq=fact["seq"])
        _advance(turn, fact)


_MESSAGES = {
    "ABORT_REQUESTED": "The operation was aborted first; only what closes it can be stored.",
    "UNANSWERED_CALLS": "A tool call has no result yet; store one before going on.",
    "OPEN_ATTEMPT": "A model request is still open; settle it or store its failure first.",
}


@dataclass(slots=True)
class _Turn:
    """Where the unfinished operation stands."""

    unanswered: Set[str]
    aborted: bool = False
    attempting: bool = False


def _turn_of(operation: Operation, unanswered: Set[str]) -> _Turn:
    if isinstance(operation, Idle):
        return _Turn(unanswered)
    attempting = operation.step is not None and operation.step.status == "attempting"
    return _Turn(unanswered, operation.abort_requested, attempting)


def _refusal(turn: _Turn, fact: Fact) -> str | None:
    """Return the code of the rule that ``fact`` breaks."""
    if fact["kind"] == "usage":
        return None
    if fact["kind"] == "entry":
        return "ABORT_REQUESTED" if turn.aborted and _is_settlement(fact["entry"]) else None
    record = fact["record"]
    if turn.aborted and _goes_on(record):
        return "ABORT_REQUESTED"
    if record["type"] in ("operationFinished", "stepAttempt") and turn.unanswered:
        return "UNANSWERED_CALLS"
    if record["type"] == "operationFinished" and turn.attempting:
        return "OPEN_ATTEMPT"
    return None


def _is_settlement(entry: Entry) -> bool:
    """Return whether the entry says that something went to its end."""
    if entry["type"] == "compaction":
        return True
    match entry["message"]["role"]:
        case "user":
            return False
        case "assistant":
            return True
        case "tool":
            return entry["result"]["type"] != "synthetic"


def _goes_on(record: Record) -> bool:
    if record["type"] == "operationFinished":
        return record["outcome"] != "aborted"
    return record["type"] in ("stepAttempt", "toolStarted")


def _advance(turn: _Turn, fact: Fact) -> None:
    if fact["kind"] == "entry":
        _advance_entry(turn, fact["entry"])
    elif fact["kind"] == "record":
        _advance_record(turn, fact["record"])


def _advance_entry(turn: _Turn, entry: Entry) -> None:
    if entry["type"] == "compaction":
        turn.attempting = False
        return
    message = entry["message"]
    if message["role"] == "assistant":
        turn.attempting = False
        turn.unanswered = {call["id"] for call in calls_of(message)}
    elif message["role"] == "tool":
        turn.unanswered -= {message["tool_call_id"]}


def _advance_record(turn: _Turn, record: Record) -> None:
    match record["type"]:
        case "stepAttempt":
            turn.attempting = True
        case "stepFailed":
            turn.attempting = False
        case "abortRequested":
            turn.aborted = True
        case "operationFinished":
            turn.aborted = False
        case "runStarted" | "compactionStarted" | "toolStarted":
            pass
