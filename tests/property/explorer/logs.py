"""Session logs as values: every commit makes a new one, and all of them stay usable.

The reducer, the admission and the rule of what must be synced are the product's own. A log also
knows what a power cut could take from it: ``unsynced`` are the logs it was since the last sync,
oldest first; each of them may be what is found after the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import orjson

from perdure.core.codec import encode_line
from perdure.core.facts import Draft, Fact, Header
from perdure.core.reducer import Ledger, Refusal
from perdure.core.state import SessionState
from perdure.errors import RejectedTransaction
from perdure.json_types import JsonValue
from perdure.store._transaction import Facts, encode, stamp
from perdure.store.admission import admit
from perdure.store.levels import Level, needs_sync

LEVEL: Level = "barrier"
NOW = 1_700_000_000_000
ENVIRONMENT = "/workspace"
FACT_IDS = 0x8000
"""Ids that the store assigns are counted from here, ids that the loop assigns from 0."""

Lines: TypeAlias = "tuple[Lines, bytes] | None"


def identifier(seq: int, number: int) -> str:
    """Return an id that only depends on where in the log it is assigned."""
    return f"018f0000-{number:04x}-7000-8000-{seq:012x}"


@dataclass(slots=True, eq=False)
class Log:
    """What is in the file after its last transaction; never changed.

    ``operations`` has a letter for each operation that was accepted, and ``steps`` counts those
    of the last one; ``added`` counts user entries that are no prompt. ``shape`` is for ``Shapes``
    to remember its number, ``later`` for ``commit`` to remember what the same drafts led to.
    """

    ledger: Ledger
    lines: Lines
    unsynced: tuple[Log, ...] = ()
    operations: str = ""
    steps: int = 0
    added: int = 0
    shape: int | None = None
    later: dict[bytes, tuple[Log, Facts]] = field(default_factory=dict)

    @property
    def state(self) -> SessionState:
        """What the bytes mean."""
        return self.ledger.state

    @property
    def after_power_cut(self) -> Log:
        """The least that is still there after a power cut."""
        return self.unsynced[0] if self.unsynced else self

    def commit(self, drafts: Sequence[Draft], *, power: bool) -> tuple[Log, Facts]:
        """Return the log with one more transaction, and its facts; ``CommitQueue`` in a value.

        Without ``power`` a power cut is not of interest. Raises ``RejectedTransaction``.
        """
        key = orjson.dumps(drafts)
        if key not in self.later:
            self.later[key] = self._commit(drafts, power)
        return self.later[key]

    def __repr__(self) -> str:
        return f"<log with {self.ledger.line_count} lines>"

    def text(self) -> Iterator[bytes]:
        """Yield the lines, the last one first."""
        lines = self.lines
        while lines is not None:
            lines, line = lines
            yield line

    def _commit(self, drafts: Sequence[Draft], power: bool) -> tuple[Log, Facts]:
        before = self.state
        new_ids = _fact_ids(before.next_seq)
        stamped = stamp(
            drafts, next_seq=before.next_seq, timestamp=NOW, new_id=lambda: next(new_ids)
        )
        facts, line = encode(stamped)
        ledger = self.ledger.fork()
        try:
            ledger.enter(cast("JsonValue", list(facts)), length=len(line))
        except Refusal as refusal:
            raise RejectedTransaction(
                f"the reducer says {refusal.code}", code=refusal.code, seq=refusal.seq
            ) from refusal
        admit(before.operation, facts, unanswered=self.ledger.unanswered)
        kept = power and not needs_sync(facts, LEVEL)
        unsynced = (*self.unsynced, self) if kept else ()
        return Log(ledger, (self.lines, line), unsynced, *self._counted(facts)), facts

    def _counted(self, facts: Sequence[Fact]) -> tuple[str, int, int]:
        operations, steps, added = self.operations, self.steps, self.added
        for fact in facts:
            match fact:
                case {"record": {"type": "runStarted" | "compactionStarted" as kind}}:
                    operations, steps = operations + kind[0], 0
                case {"record": {"type": "stepAttempt", "attempt": 1}}:
                    steps += 1
                case {"entry": {"message": {"role": "user"}}} if len(facts) == 1:
                    added += 1
                case _:
                    pass
        return operations, steps, added


def empty_log() -> Log:
    """Return the log of a new session, with nothing but its header."""
    header = Header(
        kind="header",
        version=2,
        id=identifier(0, 0),
        createdAt=NOW,
        cwd="/workspace",
        provider="demo",
        model="test/model",
        environmentIdentity=ENVIRONMENT,
    )
    line = encode_line(header)
    return Log(Ledger.create(header, length=len(line)), (None, line))


def _fact_ids(seq: int) -> Iterator[str]:
    number = FACT_IDS
    while True:
        yield identifier(seq, number)
        number += 1
