"""The ledger of one session: apply transactions, take them back, look things up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from perdure.core.facts import Fact, Header
from perdure.core.reducer.books import Books, Cursor, EntryInfo, IntentInfo, Mark
from perdure.core.reducer.envelope import accept_transaction
from perdure.core.reducer.header import header_of
from perdure.core.reducer.packed import Packed, pack
from perdure.core.reducer.recalled import Fetch
from perdure.core.reducer.unpacked import Unpacked
from perdure.core.state import Operation, Prefix, SessionState
from perdure.json_types import JsonValue


@dataclass(slots=True, eq=False)
class Ledger:
    """Everything that must be remembered to judge the next transaction, and the present state.

    Applying a transaction costs in proportion to the transaction, whatever the history. The one
    who holds the ledger owns it: it is changed in place. The states it gives out do not change,
    as long as only transactions whose state nobody has seen are taken back.
    """

    _known: Books | Unpacked
    _state: SessionState | None = None

    @classmethod
    def create(cls, header: Header | JsonValue, *, length: int) -> Ledger:
        """Return the ledger of a session with nothing but this header, a line of ``length`` bytes.

        Raises Refusal.
        """
        value = cast(JsonValue, header)
        return cls(Books(header=header_of(value), now=Cursor(length=length, lines=1)))

    @property
    def _books(self) -> Books:
        if isinstance(self._known, Unpacked):
            self._known = self._known.books()
        return self._known

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and self._books == other._books

    __hash__ = None  # type: ignore[assignment]

    @property
    def state(self) -> SessionState:
        """The state after the last transaction."""
        if self._state is None:
            self._state = self.state_at(self.mark())
        return self._state

    @property
    def next_seq(self) -> int:
        """The seq of the next fact."""
        return self._books.now.next_seq

    @property
    def timestamp(self) -> int:
        """The timestamp of the last fact in ms, 0 before the first."""
        return self._books.now.timestamp

    @property
    def operation(self) -> Operation:
        """The unfinished operation, if any."""
        return self._books.now.operation

    @property
    def line_count(self) -> int:
        """The number of lines up to now, the header included."""
        return self._books.now.lines

    @property
    def unanswered(self) -> frozenset[str]:
        """The call ids of the last answer that have no result yet (section 9)."""
        return self._books.now.waiting

    def entry(self, entry_id: str) -> EntryInfo | None:
        """Return what is known of an entry, None when there is none with this id."""
        return self._books.entries.get(entry_id)

    def intent(self, tool_started_id: str) -> IntentInfo | None:
        """Return a tool intent by the id of its ``toolStarted`` fact, None when unknown."""
        return self._books.intents.get(tool_started_id)

    def apply(self, facts: Sequence[Fact | JsonValue], *, length: int) -> SessionState:
        """Apply one transaction, a line of ``length`` bytes with its LF; return the new state.

        The facts must be what ``encode_line`` accepts. They are kept, not copied. Raises Refusal
        when a rule is broken; then, as after any other exception, the ledger is as before.
        """
        mark = self.mark()
        try:
            self.enter(cast(JsonValue, list(facts)), length=length)
        except BaseException:
            self.rollback(mark)
            raise
        return self.state

    def enter(self, transaction: JsonValue, *, length: int) -> None:
        """Apply a transaction as it was read, without a way back.

        Raises Refusal; then the ledger is half changed, and only a rollback makes it whole.
        """
        self._state = None
        accept_transaction(self._books, transaction, length=length)

    def enter_all(self, transactions: Sequence[JsonValue], lines: Sequence[bytes]) -> None:
        """Do what ``enter`` does with the values of lines, which are given without their LF."""
        self._state = None
        books = self._books
        for transaction, line in zip(transactions, lines, strict=True):
            accept_transaction(books, transaction, length=len(line) + 1)

    def mark(self) -> Mark:
        """Return the present place, for ``rollback``."""
        return self._books.mark()

    def state_at(self, mark: Mark) -> SessionState:
        """Return the state at a mark, whatever has been applied since."""
        now = Cursor(*mark.cursor)
        return _state_of(self._books, now, messages=mark.messages, context=mark.context)

    def rollback(self, mark: Mark) -> None:
        """Take back every transaction since ``mark``. Marks and states made since then are void."""
        self._books.rollback(mark)
        self._state = None

    def pack(self) -> Packed:
        """Return the ledger for a snapshot of the log up to where it stands."""
        return pack(self._books)

    @classmethod
    def unpack(cls, packed: Packed, fetch: Fetch) -> Ledger:
        """Return the ledger that was packed; ``fetch`` returns the lines of its log.

        The messages are read when they are asked for, so the log must stay what it was. What the
        next transaction is judged by is made when there is one, or when something is looked up;
        that takes less than 1 ms for a thousand facts.
        """
        known = Unpacked(packed, fetch)
        messages, context = len(known.transcript), len(known.now.context)
        return cls(known, _state_of(known, known.now, messages=messages, context=context))

    def fork(self) -> Ledger:
        """Return a ledger with the same past that goes its own way; costs as much as the past."""
        return Ledger(self._books.copy())


def _state_of(books: Books | Unpacked, now: Cursor, *, messages: int, context: int) -> SessionState:
    return SessionState(
        header=books.header,
        transcript=Prefix(books.transcript, messages),
        active_context=Prefix(now.context, context),
        usage=now.usage,
        operation=now.operation,
        repaired_length=now.length,
        next_seq=now.next_seq,
        boundary=now.boundary,
        source_ids=Prefix(books.sources, messages),
        last_timestamp=now.timestamp,
        digests=books.digests,
    )
