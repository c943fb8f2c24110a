"""Books as bytes, for a snapshot.

What is packed is an index of the log, not a copy of it: ids, how they refer to each other, and
where each message stands. An id is written once, in the order in which ids were used and then
reserved, and is named by its number from then on; 0 is no id, and the number of a fact is its seq.
``unpacked`` is the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal, TypeAlias, TypedDict, assert_never

import orjson

from perdure.core.facts import ConfigurationSnapshot, OperationKind
from perdure.core.messages import StopReason
from perdure.core.reducer.books import Books, Cursor, Reservation, Summary
from perdure.core.state import Compaction, Idle, Operation, Run, Step

Row: TypeAlias = list[int]
Fields: TypeAlias = Mapping[str, object]
"""The fields of one of our classes by their names."""

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


class PackedBooks(TypedDict):
    """Columns of the indexes. What follows from others is left out."""

    header: Fields
    now: PackedCursor
    facts: list[str]
    reserved: list[str]
    kinds: list[Reservation]
    operations: list[int]
    operation_kinds: list[OperationKind]
    configurations: list[tuple[ConfigurationSnapshot, str]]
    attempts: list[Row]
    closed: list[int]
    intents: list[Row]
    calls: list[tuple[str, str]]
    taken: list[tuple[int, int]]
    entries: list[Row]
    places: list[int]


def pack(books: Books) -> bytes:
    """Return the books, which stand between two transactions."""
    numbers = {name: number for number, name in enumerate(books.facts, start=1)}
    for number, name in enumerate(books.reserved, start=len(numbers) + 1):
        numbers.setdefault(name, number)
    configurations = {
        step.configuration_digest: (step.configuration_snapshot, step.configuration_digest)
        for step in books.attempts.values()
    }
    packed: PackedBooks = {
        "header": asdict(books.header),
        "now": _cursor(books.now),
        "facts": list(books.facts),
        "reserved": list(books.reserved),
        "kinds": list(books.reserved.values()),
        "operations": [numbers[name] for name in books.operations],
        "operation_kinds": list(books.operations.values()),
        "configurations": list(configurations.values()),
        "attempts": _attempts(books, numbers, list(configurations)),
        "closed": [numbers[attempt_id] for attempt_id in books.closed],
        "intents": _intents(books, numbers),
        "calls": [(it.tool_call_id, it.tool_name) for it in books.intents.values()],
        "taken": [(numbers[assistant_id], index) for assistant_id, index in books.taken],
        "entries": _entries(books, numbers),
        "places": books.places,
    }
    return orjson.dumps(packed, default=tuple)


def _attempts(books: Books, numbers: Mapping[str, int], digests: list[str]) -> list[Row]:
    """Return the attempts as they were opened."""
    configuration = {digest: number for number, digest in enumerate(digests)}
    return [
        [
            numbers[step.operation_id],
            numbers[step.step_id],
            numbers[step.attempt_id],
            step.attempt,
            int(step.step_kind == "compaction"),
            numbers[step.context_through_entry_id],
            configuration[step.configuration_digest],
        ]
        for step in books.attempts.values()
    ]


def _intents(books: Books, numbers: Mapping[str, int]) -> list[Row]:
    return [
        [
            numbers[intent.tool_started_id],
            numbers[intent.operation_id],
            numbers[intent.step_id],
            numbers[intent.result_entry_id],
        ]
        for intent in books.intents.values()
    ]


def _entries(books: Books, numbers: Mapping[str, int]) -> list[Row]:
    return [
        [
            numbers[entry_id],
            int(entry.has_message),
            numbers.get(entry.operation_id or "", 0),
            numbers.get(entry.step_id or "", 0),
            numbers.get(entry.attempt_id or "", 0),
            STOP_REASONS.index(entry.stop_reason),
        ]
        for entry_id, entry in books.entries.items()
    ]


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
