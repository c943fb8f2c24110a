"""Books as bytes, for a snapshot.

What is packed is an index of the log, not a copy of it: ids, how they refer to each other, and
where each message stands. An id is written once, in the order in which ids were used and then
reserved, and is named by its number from then on; 0 is no id, and the number of a fact is its seq.
What a state shows is kept apart from the rest, which may wait. ``unpacked`` is the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal, NamedTuple, TypeAlias, TypedDict, assert_never

import orjson

from perdure.core.messages import StopReason
from perdure.core.records import ConfigurationSnapshot, OperationKind, StepKind
from perdure.core.reducer.books import Books, Cursor, Reservation, Summary
from perdure.core.state import Compaction, Idle, Operation, Run, Step

Column: TypeAlias = list[int]
Fields: TypeAlias = Mapping[str, object]
"""The fields of one of our classes by their names."""

Numbers: TypeAlias = Mapping[str | None, int]

STEP_KINDS: tuple[StepKind, ...] = ("assistant", "compaction")
STOP_REASONS: tuple[StopReason | None, ...] = (None, "stop", "toolUse", "length")


class PackedRun(TypedDict):
    """An unfinished run, with the arguments of its calls."""

    kind: Literal["run"]
    operation_id: str
    input_entry_id: str
    step: Fields | None
    intents: list[Fields]
    pending: list[str]
    abort_requested: bool


class PackedCompaction(TypedDict):
    """An unfinished compaction."""

    kind: Literal["compaction"]
    operation_id: str
    input_through_entry_id: str
    result_entry_id: str
    compacted_count: int
    step: Fields | None
    abort_requested: bool


class PackedCursor(TypedDict):
    """A cursor between two transactions, when the transcript is legal."""

    length: int
    lines: int
    next_seq: int
    timestamp: int
    usage: Fields
    operation: PackedRun | PackedCompaction | None
    boundary: str | None
    waiting: list[str]
    configuration: tuple[ConfigurationSnapshot, str] | None
    summary: Summary | None


class PackedAttempts(TypedDict):
    """Columns of the attempts, as they were opened; kinds and configurations are numbers."""

    operation: Column
    step: Column
    attempt: Column
    number: Column
    kind: Column
    context: Column
    configuration: Column


class PackedIntents(TypedDict):
    """Columns of the intents."""

    started: Column
    operation: Column
    step: Column
    result: Column
    call: list[str]
    name: list[str]


class PackedEntries(TypedDict):
    """Columns of the entries in file order."""

    entry: Column
    has_message: Column
    operation: Column
    step: Column
    attempt: Column
    stop_reason: Column


class Packed(NamedTuple):
    """A ledger as two lines of JSON, without LF: what a state shows, and the indexes."""

    present: bytes | memoryview
    indexes: bytes | memoryview


class PackedPresent(TypedDict):
    """What a state shows; ``sources`` are ids with a blank between them."""

    header: Fields
    now: PackedCursor
    sources: str
    places: Column


class PackedIndexes(TypedDict):
    """What the next transaction is judged by. What follows from others is left out.

    ``facts`` and ``reserved`` are ids with a blank between them.
    """

    facts: str
    reserved: str
    kinds: list[Reservation]
    operations: Column
    operation_kinds: list[OperationKind]
    configurations: list[tuple[ConfigurationSnapshot, str]]
    attempts: PackedAttempts
    closed: Column
    intents: PackedIntents
    taken: tuple[Column, Column]
    entries: PackedEntries


def pack(books: Books) -> Packed:
    """Return the books, which stand between two transactions."""
    present: PackedPresent = {
        "header": asdict(books.header),
        "now": _cursor(books.now),
        "sources": " ".join(books.sources),
        "places": books.places,
    }
    return Packed(
        present=orjson.dumps(present, default=tuple),
        indexes=orjson.dumps(_indexes(books), default=tuple),
    )


def _indexes(books: Books) -> PackedIndexes:
    numbers: dict[str | None, int] = {None: 0}
    numbers.update((name, number) for number, name in enumerate(books.facts, start=1))
    for number, name in enumerate(books.reserved, start=len(numbers)):
        numbers.setdefault(name, number)
    configurations = {
        step.configuration_digest: (step.configuration_snapshot, step.configuration_digest)
        for step in books.attempts.values()
    }
    return {
        "facts": " ".join(books.facts),
        "reserved": " ".join(books.reserved),
        "kinds": list(books.reserved.values()),
        "operations": [numbers[name] for name in books.operations],
        "operation_kinds": list(books.operations.values()),
        "configurations": list(configurations.values()),
        "attempts": _attempts(books, numbers, list(configurations)),
        "closed": [numbers[attempt_id] for attempt_id in books.closed],
        "intents": _intents(books, numbers),
        "taken": (
            [numbers[assistant_id] for assistant_id, _ in books.taken],
            [index for _, index in books.taken],
        ),
        "entries": _entries(books, numbers),
    }


def _attempts(books: Books, numbers: Numbers, digests: list[str]) -> PackedAttempts:
    steps = books.attempts.values()
    configuration = {digest: number for number, digest in enumerate(digests)}
    return {
        "operation": [numbers[step.operation_id] for step in steps],
        "step": [numbers[step.step_id] for step in steps],
        "attempt": [numbers[step.attempt_id] for step in steps],
        "number": [step.attempt for step in steps],
        "kind": [STEP_KINDS.index(step.step_kind) for step in steps],
        "context": [numbers[step.context_through_entry_id] for step in steps],
        "configuration": [configuration[step.configuration_digest] for step in steps],
    }


def _intents(books: Books, numbers: Numbers) -> PackedIntents:
    intents = books.intents.values()
    return {
        "started": [numbers[intent.tool_started_id] for intent in intents],
        "operation": [numbers[intent.operation_id] for intent in intents],
        "step": [numbers[intent.step_id] for intent in intents],
        "result": [numbers[intent.result_entry_id] for intent in intents],
        "call": [intent.tool_call_id for intent in intents],
        "name": [intent.tool_name for intent in intents],
    }


def _entries(books: Books, numbers: Numbers) -> PackedEntries:
    entries = books.entries.values()
    return {
        "entry": [numbers[entry_id] for entry_id in books.entries],
        "has_message": [int(entry.has_message) for entry in entries],
        "operation": [numbers[entry.operation_id] for entry in entries],
        "step": [numbers[entry.step_id] for entry in entries],
        "attempt": [numbers[entry.attempt_id] for entry in entries],
        "stop_reason": [STOP_REASONS.index(entry.stop_reason) for entry in entries],
    }


def _cursor(now: Cursor) -> PackedCursor:
    return {
        "length": now.length,
        "lines": now.lines,
        "next_seq": now.next_seq,
        "timestamp": now.timestamp,
        "usage": now.usage._asdict(),
        "operation": _operation(now.operation),
        "boundary": now.boundary,
        "waiting": sorted(now.waiting),
        "configuration": now.configuration,
        "summary": now.summary,
    }


def _operation(operation: Operation) -> PackedRun | PackedCompaction | None:
    match operation:
        case Idle():
            return None
        case Run():
            return {
                "kind": "run",
                "operation_id": operation.operation_id,
                "input_entry_id": operation.input_entry_id,
                "step": _step(operation.step),
                "intents": [intent._asdict() for intent in operation.intents],
                "pending": sorted(operation.pending),
                "abort_requested": operation.abort_requested,
            }
        case Compaction():
            return {
                "kind": "compaction",
                "operation_id": operation.operation_id,
                "input_through_entry_id": operation.input_through_entry_id,
                "result_entry_id": operation.result_entry_id,
                "compacted_count": operation.compacted_count,
                "step": _step(operation.step),
                "abort_requested": operation.abort_requested,
            }
        case _:
            assert_never(operation)


def _step(step: Step | None) -> Fields | None:
    return None if step is None else step._asdict()
