"""SessionState: what the bytes of a session mean (session-format section 11).

A state is an immutable value. Long parts (transcript, active context, tool calls) are ``Prefix``
views of append-only lists that newer states share, so a new state costs as much as its new
facts. The reducer's bookkeeping (used ids, reservations, entry index) is not part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Generic,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    overload,
)

from perdure.core.messages import Message, StopReason
from perdure.core.records import ConfigurationSnapshot, Replay, StepKind
from perdure.json_types import JsonObject

if TYPE_CHECKING:
    from perdure.core.source_digest import SourceDigest

T = TypeVar("T")
Item_co = TypeVar("Item_co", covariant=True)


# What the constructor of a named tuple calls, which is a Python function of its own.
_new = tuple.__new__


class Items(Protocol[Item_co]):
    """What a prefix asks of the list behind it."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Item_co: ...


class Prefix(Sequence[T], Generic[T]):
    """The first ``length`` items of a list that others may go on appending to.

    The owner of the list appends and (only when it takes back a transaction that was never
    published) truncates it; a published prefix never changes.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Items[T], length: int | None = None) -> None:
        self._items = items
        self._length = len(items) if length is None else length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._items[i] for i in range(*index.indices(self._length))]
        position = index + self._length if index < 0 else index
        if not 0 <= position < self._length:
            raise IndexError(index)
        return self._items[position]

    def __iter__(self) -> Iterator[T]:
        for position in range(self._length):
            yield self._items[position]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(self._length)

    def __repr__(self) -> str:
        return f"Prefix({self[:]!r})"

    def continues(self, earlier: Sequence[T]) -> bool:
        """Tell without a look at the items whether these are ``earlier`` and maybe more.

        That is so where both have been published and stand for one list; False proves nothing.
        """
        if not isinstance(earlier, Prefix):
            return False
        return earlier._items is self._items and earlier._length <= self._length


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """Line 1, without ``kind`` and ``version``. ``created_at`` is ms since the epoch."""

    id: str
    created_at: int
    cwd: str
    provider: str
    model: str
    environment_identity: str


class Usage(NamedTuple):
    """Token sums; ``input`` excludes cache reads and writes."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


class Step(NamedTuple):
    """The current step and its latest attempt."""

    operation_id: str
    step_id: str
    attempt_id: str
    attempt: Literal[1, 2]
    step_kind: StepKind
    status: Literal["attempting", "settled", "failed"]
    context_through_entry_id: str
    configuration_snapshot: ConfigurationSnapshot
    configuration_digest: str
    settled_entry_id: str | None = None
    stop_reason: StopReason | None = None

    def settled(self, entry_id: str, stop_reason: StopReason | None = None) -> Step:
        """Return the step settled by an entry; cheaper than ``_replace``."""
        return _new(Step, (*self[:5], "settled", *self[6:9], entry_id, stop_reason))


class ToolIntent(NamedTuple):
    """One ``toolStarted`` record; whether it is pending stands in ``Run.pending``."""

    operation_id: str
    tool_started_id: str
    step_id: str
    assistant_entry_id: str
    tool_index: int
    tool_call_id: str
    tool_name: str
    arguments: JsonObject
    replay: Replay
    replay_key: str
    environment_identity: str
    result_entry_id: str


class Idle(NamedTuple):
    """No unfinished operation."""

    kind: Literal["idle"] = "idle"


class Run(NamedTuple):
    """An unfinished run. ``intents`` are all of the run, in order; ``pending`` the open ones."""

    operation_id: str
    input_entry_id: str
    step: Step | None
    intents: Prefix[ToolIntent]
    pending: frozenset[str]
    abort_requested: bool
    kind: Literal["run"] = "run"

    def with_step(self, step: Step) -> Run:
        """Return the run with another step; cheaper than ``_replace``."""
        return _new(Run, (*self[:2], step, *self[3:]))

    def with_intents(self, intents: Prefix[ToolIntent], pending: frozenset[str]) -> Run:
        """Return the run with other intents; cheaper than ``_replace``."""
        return _new(Run, (*self[:3], intents, pending, *self[5:]))


class Compaction(NamedTuple):
    """An unfinished compaction; it summarises the first ``compacted_count`` source entries."""

    operation_id: str
    input_through_entry_id: str
    result_entry_id: str
    compacted_count: int
    step: Step | None
    abort_requested: bool
    kind: Literal["compaction"] = "compaction"

    def with_step(self, step: Step) -> Compaction:
        """Return the compaction with another step."""
        return self._replace(step=step)


Operation: TypeAlias = Idle | Run | Compaction


@dataclass(frozen=True, slots=True)
class SessionState:
    """The value that ``reduce_session`` computes.

    ``repaired_length`` counts bytes up to and including the last LF. The fields from
    ``next_seq`` on are for the planner, the compaction and the store; they are not part of the
    public shape: ``source_ids[i]`` is the entry id of ``transcript[i]``; ``boundary`` is the id
    of the last message entry represented in the active context, None before the first;
    ``digests`` gives the digest of the first source entries.
    """

    header: SessionHeader
    transcript: Prefix[Message]
    active_context: Prefix[Message]
    usage: Usage
    operation: Operation
    repaired_length: int
    next_seq: int
    boundary: str | None
    source_ids: Prefix[str]
    last_timestamp: int
    digests: SourceDigest = field(compare=False, repr=False)
