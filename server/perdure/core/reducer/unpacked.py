"""Books out of a snapshot: ``Unpacked(pack(books), fetch).books()`` equals ``books``.

Messages are read when they are first asked for; the log must stay what it is up to the byte where
the books end. Nothing is judged here: the bytes are known to be what ``pack`` returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, compress, count
from typing import Literal, TypeVar, cast

import orjson

from perdure.core.reducer.books import Books, Cursor, EntryInfo, IntentInfo, Summary
from perdure.core.reducer.compactions import summary_message
from perdure.core.reducer.packed import (
    STEP_KINDS,
    STOP_REASONS,
    Fields,
    Packed,
    PackedCompaction,
    PackedCursor,
    PackedEntries,
    PackedIndexes,
    PackedPresent,
    PackedRun,
)
from perdure.core.reducer.recalled import Archive, Fetch, Recalled, Rows
from perdure.core.source_digest import SourceDigest
from perdure.core.state import (
    Compaction,
    Idle,
    Operation,
    Prefix,
    Run,
    SessionHeader,
    Step,
    ToolIntent,
    Usage,
)

T = TypeVar("T")


class Unpacked:
    """Books of which the present is known; the indexes, most of them, may wait.

    ``header``, ``now``, ``transcript``, ``sources`` and ``digests`` are those of ``books()``.
    """

    def __init__(self, packed: Packed, fetch: Fetch) -> None:
        present = cast("PackedPresent", orjson.loads(packed.present))
        self._indexes = packed.indexes
        self._places = present["places"]
        self.header = _made(SessionHeader, present["header"])
        self.sources = present["sources"].split()
        archive = Archive(fetch, sources=self.sources, places=self._places)
        self.transcript = Recalled([*range(len(self.sources))], archive.message)
        self.now = _cursor(present["now"], self.transcript)
        self.digests = SourceDigest(self.sources, self.transcript)

    def books(self) -> Books:
        """Return the books; to be asked once, for they are one with the parts that are known."""
        packed = cast("PackedIndexes", orjson.loads(self._indexes))
        facts, reserved = packed["facts"].split(), packed["reserved"].split()
        ids = ["", *facts, *reserved]
        named = partial(map, ids.__getitem__)
        entries, attempts = packed["entries"], packed["attempts"]
        firsts = [number == 1 for number in attempts["number"]]
        books = Books(
            header=self.header,
            now=self.now,
            facts=dict.fromkeys(facts),
            reserved=dict(zip(reserved, packed["kinds"], strict=True)),
            operations=dict(
                zip(named(packed["operations"]), packed["operation_kinds"], strict=True)
            ),
            attempts=_rows(named(attempts["attempt"]), partial(_attempt, packed, ids)),
            first_attempts=dict(
                zip(
                    compress(named(attempts["step"]), firsts),
                    compress(named(attempts["attempt"]), firsts),
                    strict=True,
                )
            ),
            closed=dict.fromkeys(named(packed["closed"])),
            intents=_rows(named(packed["intents"]["started"]), partial(_intent, packed, ids)),
            taken=dict.fromkeys(zip(named(packed["taken"][0]), packed["taken"][1], strict=True)),
            entries=_rows(named(entries["entry"]), _entry_maker(entries, ids)),
            transcript=self.transcript,
            sources=self.sources,
            places=self._places,
        )
        books.digests = self.digests
        return books


def _rows(names: Iterable[str], make: Callable[[int], T]) -> Rows[T]:
    return Rows(dict(zip(names, count(), strict=False)), make)


def _attempt(packed: PackedIndexes, ids: Sequence[str], row: int) -> Step:
    columns = packed["attempts"]
    snapshot, digest = packed["configurations"][columns["configuration"][row]]
    return Step(
        operation_id=ids[columns["operation"][row]],
        step_id=ids[columns["step"][row]],
        attempt_id=ids[columns["attempt"][row]],
        attempt=cast("Literal[1, 2]", columns["number"][row]),
        step_kind=STEP_KINDS[columns["kind"][row]],
        status="attempting",
        context_through_entry_id=ids[columns["context"][row]],
        configuration_snapshot=snapshot,
        configuration_digest=digest,
    )


def _intent(packed: PackedIndexes, ids: Sequence[str], row: int) -> IntentInfo:
    columns = packed["intents"]
    return IntentInfo(
        tool_started_id=ids[columns["started"][row]],
        operation_id=ids[columns["operation"][row]],
        step_id=ids[columns["step"][row]],
        tool_call_id=columns["call"][row],
        tool_name=columns["name"][row],
        result_entry_id=ids[columns["result"][row]],
    )


def _entry_maker(columns: PackedEntries, ids: Sequence[str]) -> Callable[[int], EntryInfo]:
    sources = list(accumulate(columns["has_message"]))

    def make(row: int) -> EntryInfo:
        return EntryInfo(
            position=row,
            sources=sources[row],
            has_message=bool(columns["has_message"][row]),
            operation_id=ids[columns["operation"][row]] or None,
            step_id=ids[columns["step"][row]] or None,
            attempt_id=ids[columns["attempt"][row]] or None,
            stop_reason=STOP_REASONS[columns["stop_reason"][row]],
        )

    return make


def _cursor(packed: PackedCursor, transcript: Recalled) -> Cursor:
    operation = _operation(packed["operation"])
    summary = None if packed["summary"] is None else Summary(*packed["summary"])
    configuration = packed["configuration"]
    return Cursor(
        length=packed["length"],
        lines=packed["lines"],
        next_seq=packed["next_seq"],
        timestamp=packed["timestamp"],
        usage=_made(Usage, packed["usage"]),
        operation=operation,
        boundary=packed["boundary"],
        waiting=frozenset(packed["waiting"]),
        configuration=None if configuration is None else (configuration[0], configuration[1]),
        summary=summary,
        context=_context(summary, transcript),
        intents=operation.intents[:] if isinstance(operation, Run) else [],
    )


def _context(summary: Summary | None, transcript: Recalled) -> Recalled:
    """Return the active context, whose messages are those of the transcript."""
    count = len(transcript)
    if summary is None:
        return Recalled([*range(count)], transcript.__getitem__)
    kept = (*range(summary.first, summary.last), *range(summary.resumed, count))
    return Recalled([summary_message(summary.text), *kept], transcript.__getitem__)


def _operation(packed: PackedRun | PackedCompaction | None) -> Operation:
    if packed is None:
        return Idle()
    step = None if packed["step"] is None else _made(Step, packed["step"])
    if packed["kind"] == "compaction":
        return _made(Compaction, {**packed, "step": step})
    intents = [_made(ToolIntent, intent) for intent in packed["intents"]]
    pending = frozenset(packed["pending"])
    return _made(Run, {**packed, "step": step, "intents": Prefix(intents), "pending": pending})


def _made(kind: Callable[..., T], fields: Fields) -> T:
    return kind(**fields)
