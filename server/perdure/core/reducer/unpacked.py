"""Books out of a snapshot: ``unpack(pack(books), fetch)`` equals ``books``.

Messages are read when they are first asked for; the log must stay what it is up to the byte where
the books end. Nothing is judged here: the bytes are known to be what ``pack`` returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import repeat
from typing import Literal, TypeVar, cast

import orjson

from perdure.core.facts import StepKind
from perdure.core.reducer.books import Books, Cursor, EntryInfo, IntentInfo, Summary
from perdure.core.reducer.compactions import summary_message
from perdure.core.reducer.packed import (
    STOP_REASONS,
    Fields,
    PackedBooks,
    PackedCompaction,
    PackedCursor,
    PackedRun,
    Row,
)
from perdure.core.reducer.recalled import Archive, Fetch, Recalled
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

_STEP_KINDS: tuple[StepKind, ...] = ("assistant", "compaction")


def unpack(data: bytes, fetch: Fetch) -> Books:
    """Return the books that were packed beside the log whose lines ``fetch`` returns."""
    packed = cast("PackedBooks", orjson.loads(data))
    ids = ["", *packed["facts"], *packed["reserved"]]
    named = partial(map, ids.__getitem__)
    attempts = [_attempt(row, ids, packed) for row in packed["attempts"]]
    entries = packed["entries"]
    sources = [ids[number] for number, has_message, *_ in entries if has_message]
    archive = Archive(fetch, sources=sources, places=packed["places"])
    transcript = Recalled([*range(len(sources))], archive.message)
    intents = map(_intent, packed["intents"], packed["calls"], repeat(ids))
    return Books(
        header=_made(SessionHeader, packed["header"]),
        now=_cursor(packed["now"], transcript),
        facts=dict(zip(packed["facts"], range(1, len(ids)), strict=False)),
        reserved=dict(zip(packed["reserved"], packed["kinds"], strict=True)),
        operations=dict(zip(named(packed["operations"]), packed["operation_kinds"], strict=True)),
        attempts={step.attempt_id: step for step in attempts},
        first_attempts={step.step_id: step.attempt_id for step in attempts if step.attempt == 1},
        closed=dict.fromkeys(named(packed["closed"])),
        intents={intent.tool_started_id: intent for intent in intents},
        taken=dict.fromkeys((ids[number], index) for number, index in packed["taken"]),
        entries=_entries(entries, ids),
        transcript=transcript,
        sources=sources,
        places=packed["places"],
    )


def _attempt(row: Row, ids: Sequence[str], packed: PackedBooks) -> Step:
    operation, step, attempt, number, kind, context, configuration = row
    return Step(
        ids[operation],
        ids[step],
        ids[attempt],
        cast("Literal[1, 2]", number),
        _STEP_KINDS[kind],
        "attempting",
        ids[context],
        *packed["configurations"][configuration],
    )


def _intent(row: Row, call: tuple[str, str], ids: Sequence[str]) -> IntentInfo:
    started, operation, step, result = row
    return IntentInfo(ids[started], ids[operation], ids[step], *call, ids[result])


def _entries(rows: Sequence[Row], ids: Sequence[str]) -> dict[str, EntryInfo]:
    entries: dict[str, EntryInfo] = {}
    sources = 0
    for position, row in enumerate(rows):
        number, has_message, operation, step, attempt, stop_reason = row
        sources += has_message
        entries[ids[number]] = EntryInfo(
            position,
            sources,
            bool(has_message),
            ids[operation] or None,
            ids[step] or None,
            ids[attempt] or None,
            STOP_REASONS[stop_reason],
        )
    return entries


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
