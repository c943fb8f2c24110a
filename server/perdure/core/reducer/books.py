"""What the reducer remembers: indexes that only grow, and a cursor.

**Nothing in an index is ever changed or removed.** A dictionary keeps the order of insertion, so
a mark is merely the size of each index, and going back to it removes the last insertions. That
an index only grows also says what is true for ever:

* A fact id that was used stays used. A reserved id that became a fact id is in both indexes; it
  counts as reserved only while no fact has it.
* An operation that was started is finished unless it is the current one.
* An attempt is closed once: by its entry, by its failure or by attempt 2.
* An intent is pending until a fact has its result id.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from perdure.core.ids import uuid7_match
from perdure.core.messages import Message, StopReason
from perdure.core.records import ConfigurationSnapshot, OperationKind
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.recalled import Messages, Recalled, Rows
from perdure.core.reducer.transcript import NOTHING_WAITS, follow
from perdure.core.source_digest import SourceDigest
from perdure.core.state import Idle, Operation, SessionHeader, Step, ToolIntent, Usage
from perdure.json_types import JsonValue

T = TypeVar("T")

Reservation: TypeAlias = Literal["identity", "toolResult", "compactionResult"]


class EntryInfo(NamedTuple):
    """An accepted entry; ``Books.message`` is its message, if ``has_message``.

    ``position`` counts all entries in file order. ``sources`` is the number of source entries up
    to and including this one, so a message stands at ``transcript[sources - 1]``.
    """

    position: int
    sources: int
    has_message: bool
    operation_id: str | None = None
    step_id: str | None = None
    attempt_id: str | None = None
    stop_reason: StopReason | None = None


class IntentInfo(NamedTuple):
    """What a result or usage of a started tool is compared with."""

    tool_started_id: str
    operation_id: str
    step_id: str
    tool_call_id: str
    tool_name: str
    result_entry_id: str


class Summary(NamedTuple):
    """What the active context is since a compaction.

    That is the summary, ``transcript[first:last]``, and ``transcript[resumed:]``.
    """

    text: str
    first: int
    last: int
    resumed: int


@dataclass(slots=True)
class Cursor:
    """What the latest facts left behind. Values are replaced, so a shallow copy is a mark.

    ``waiting`` are the calls without result, ``legal`` is whether the transcript still is,
    ``configuration`` the snapshot and digest of the latest attempt. ``length`` is in bytes.
    ``summary`` tells how ``context`` follows from the transcript, None before a compaction.
    """

    length: int = 0
    lines: int = 0
    next_seq: int = 1
    timestamp: int = 0
    usage: Usage = field(default_factory=Usage)
    operation: Operation = field(default_factory=Idle)
    boundary: str | None = None
    waiting: frozenset[str] = NOTHING_WAITS
    legal: bool = True
    configuration: tuple[ConfigurationSnapshot, str] | None = None
    summary: Summary | None = None
    context: Messages = field(default_factory=list[Message])
    intents: list[ToolIntent] = field(default_factory=list)


_fields_of = attrgetter(*(entry.name for entry in fields(Cursor)))


class Mark(NamedTuple):
    """A place in the life of the books to come back to: the cursor's fields, and sizes."""

    cursor: tuple[Any, ...]
    context: int
    intents: int
    messages: int
    indexes: tuple[int, ...]


class _Index(Protocol):
    def __len__(self) -> int: ...
    def popitem(self) -> object: ...


@dataclass(slots=True)
class Books:
    """The indexes of one session and its cursor ``now``.

    ``facts`` are the used ids in the order of their seq; ``attempts`` holds each attempt as it was
    opened; ``first_attempts`` maps a step id to its attempt 1; ``taken`` are calls, as assistant
    entry and index, that have an intent or a result; ``intents`` goes by the id of
    ``toolStarted``. ``sources[i]`` is the entry id of ``transcript[i]``, ``places[i]`` the byte at
    which its line starts; ``digests`` are those of the first source entries.
    """

    header: SessionHeader
    now: Cursor
    facts: dict[str, None] = field(default_factory=dict)
    reserved: dict[str, Reservation] = field(default_factory=dict)
    operations: dict[str, OperationKind] = field(default_factory=dict)
    attempts: MutableMapping[str, Step] = field(default_factory=dict)
    first_attempts: dict[str, str] = field(default_factory=dict)
    closed: dict[str, None] = field(default_factory=dict)
    intents: MutableMapping[str, IntentInfo] = field(default_factory=dict)
    taken: dict[tuple[str, int], None] = field(default_factory=dict)
    entries: MutableMapping[str, EntryInfo] = field(default_factory=dict)
    transcript: Messages = field(default_factory=list[Message])
    sources: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    digests: SourceDigest = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.digests = SourceDigest(self.sources, self.transcript)

    def reserve(self, value: JsonValue, kind: Reservation) -> str:
        """Reserve an id for ever (section 5); a form that is wrong comes before a duplicate."""
        if not isinstance(value, str) or uuid7_match(value) is None:
            raise Refusal("INVALID_FACT")
        if value in self.facts or value in self.reserved:
            raise Refusal("DUPLICATE_ID")
        self.reserved[value] = kind
        return value

    def is_reserved(self, fact_id: str) -> bool:
        """Tell whether the id is set aside and no fact has it yet."""
        return fact_id in self.reserved and fact_id not in self.facts

    def use(self, fact_id: str) -> None:
        """Make this the id of the present fact, which ends its reservation."""
        self.facts[fact_id] = None

    def message(self, entry: EntryInfo) -> Message | None:
        """Return the message of an entry, None for a compaction entry."""
        return self.transcript[entry.sources - 1] if entry.has_message else None

    def append(
        self,
        fact_id: str,
        message: Message,
        *,
        operation_id: str | None = None,
        step_id: str | None = None,
        attempt_id: str | None = None,
        stop_reason: StopReason | None = None,
    ) -> None:
        """Enter a message: transcript, active context, boundary, entry index (section 6.5)."""
        now = self.now
        sources = self.sources
        entries = self.entries
        self.transcript.append(message)
        sources.append(fact_id)
        self.places.append(now.length)
        now.context.append(message)
        now.boundary = fact_id
        # EntryInfo(…) would do the same by way of a Python function.
        entries[fact_id] = tuple.__new__(
            EntryInfo,
            (len(entries), len(sources), True, operation_id, step_id, attempt_id, stop_reason),
        )
        waiting = follow(now.waiting, message)
        if waiting is None:
            now.legal = False
        now.waiting = waiting or NOTHING_WAITS

    def mark(self) -> Mark:
        """Return the present place."""
        return Mark(
            cursor=_fields_of(self.now),
            context=len(self.now.context),
            intents=len(self.now.intents),
            messages=len(self.transcript),
            indexes=tuple(map(len, self._indexes())),
        )

    def rollback(self, mark: Mark) -> None:
        """Take back everything since ``mark``; later marks are void."""
        for index, size in zip(self._indexes(), mark.indexes, strict=True):
            while len(index) > size:
                index.popitem()
        del self.transcript[mark.messages :]
        del self.sources[mark.messages :]
        del self.places[mark.messages :]
        self.digests.forget(mark.messages)
        self.now = Cursor(*mark.cursor)
        del self.now.context[mark.context :]
        del self.now.intents[mark.intents :]

    def copy(self) -> Books:
        """Return books that grow independently of these."""
        now = replace(self.now, context=_list(self.now.context), intents=self.now.intents[:])
        return Books(
            header=self.header,
            now=now,
            facts=self.facts.copy(),
            reserved=self.reserved.copy(),
            operations=self.operations.copy(),
            attempts=_copied(self.attempts),
            first_attempts=self.first_attempts.copy(),
            closed=self.closed.copy(),
            intents=_copied(self.intents),
            taken=self.taken.copy(),
            entries=_copied(self.entries),
            transcript=_list(self.transcript),
            sources=self.sources[:],
            places=self.places[:],
        )

    def _indexes(self) -> tuple[_Index, ...]:
        return (
            self.facts,
            self.reserved,
            self.operations,
            self.attempts,
            self.first_attempts,
            self.closed,
            self.intents,
            self.taken,
            self.entries,
        )


def _list(messages: Messages) -> Messages:
    return messages.copy() if isinstance(messages, Recalled) else messages[:]


def _copied(index: MutableMapping[str, T]) -> MutableMapping[str, T]:
    return index.copy() if isinstance(index, Rows) else dict(index)
