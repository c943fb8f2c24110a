"""The queue of commits: first in, first out, judged when their turn comes.

Judging, numbering and encoding happen on the event loop, so one thread alone touches the ledger.
Writing happens inline when nothing must be synced and little is written, which costs less than
waking a thread; otherwise in the one writer thread, all waiting transactions with one write and
at most one sync. They are handed over in the next turn of the loop, so that all who were about to
commit share it. While that thread works nothing else is judged: what waits will be judged against
what has been written.

No task carries a commit, so nothing that is cancelled can cut one in half.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, cast

from perdure.core.facts import Draft
from perdure.core.reducer.books import Mark
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Refusal
from perdure.core.state import SessionState
from perdure.errors import RejectedTransaction, StoreError
from perdure.json_types import JsonValue
from perdure.store._sealed_log import SealedLog
from perdure.store._transaction import Facts, Transaction, encode, stamp
from perdure.store._writer_thread import WriterThread
from perdure.store.admission import admit
from perdure.store.levels import needs_sync
from perdure.store.options import StoreOptions

BATCH = 256
INLINE_BYTES = 64 * 1024

Published: TypeAlias = Callable[[Facts], None]


@dataclass(slots=True, eq=False)
class _Candidate:
    """A transaction on its way; ``told`` is there if somebody waits for the outcome."""

    drafts: Sequence[Draft]
    outcome: Facts | BaseException | None = None
    told: asyncio.Future[None] | None = None


@dataclass(slots=True)
class _Batch:
    """Transactions of ``size`` bytes that are written together; ``mark`` is before the first."""

    mark: Mark
    transactions: list[Transaction] = field(default_factory=list)
    size: int = 0
    sync: bool = False
    verdicts: list[tuple[_Candidate, Facts | Exception]] = field(default_factory=list)


class CommitQueue:
    """Carries drafts into the log.

    ``published`` is called with the facts of each transaction once they are durable, in order.
    Lives on one event loop.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        log: SealedLog,
        options: StoreOptions,
        writer: WriterThread,
        published: Published,
    ) -> None:
        self._ledger = ledger
        self._log = log
        self._options = options
        self._writer = writer
        self._published = published
        self._waiting: deque[_Candidate] = deque()
        self._busy = False
        self._unwritten: _Batch | None = None
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def state(self) -> SessionState:
        """The last durable state; the ledger is ahead of it by what is not written yet."""
        if self._unwritten is None:
            return self._ledger.state
        return self._ledger.state_at(self._unwritten.mark)

    async def commit(self, drafts: Sequence[Draft]) -> Facts:
        """Queue one transaction and return its facts; waits for nothing when written inline.

        Raises what ``SessionStore.commit`` does. Cancelling the caller ends the waiting only.
        """
        candidate = _Candidate(drafts)
        self._waiting.append(candidate)
        if not self._busy:
            self._pump()
        while (outcome := candidate.outcome) is None:
            candidate.told = asyncio.get_running_loop().create_future()
            await candidate.told
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    @property
    def is_idle(self) -> bool:
        """Whether all that was judged is in the log, and nothing waits."""
        return self._idle.is_set()

    async def wait_idle(self) -> None:
        """Return when everything queued has been written or refused."""
        await self._idle.wait()

    def _pump(self) -> None:
        """Write what waits until the queue is empty or the writer thread is at work."""
        self._busy = True
        while self._waiting:
            batch = _Batch(self._ledger.mark())
            self._judge_waiting(batch)
            if batch.transactions and self._needs_thread(batch):
                self._leave_to_thread(batch)
                return
            self._settle(batch, self._write_inline(batch.transactions))
        self._busy = False
        self._idle.set()

    def _needs_thread(self, batch: _Batch) -> bool:
        return batch.sync or batch.size > INLINE_BYTES or self._log.needs_thread

    def _judge_waiting(self, batch: _Batch) -> None:
        while self._waiting and len(batch.verdicts) < BATCH:
            mark = self._ledger.mark() if batch.verdicts else batch.mark
            candidate = self._waiting.popleft()
            try:
                facts, line = self._judge(candidate.drafts)
            except Exception as refusal:  # noqa: BLE001 - it belongs to whoever asked
                self._ledger.rollback(mark)
                batch.verdicts.append((candidate, refusal))
                continue
            batch.transactions.append(Transaction(line, facts[-1]["seq"]))
            batch.size += len(line)
            batch.sync = batch.sync or needs_sync(facts, self._options.level)
            batch.verdicts.append((candidate, facts))

    def _judge(self, drafts: Sequence[Draft]) -> tuple[Facts, bytes]:
        """Enter one candidate into the ledger, which any exception leaves to be rolled back.

        Raises ``RejectedTransaction``.
        """
        ledger = self._ledger
        operation, unanswered = ledger.operation, ledger.unanswered
        stamped = stamp(
            drafts,
            next_seq=ledger.next_seq,
            timestamp=max(self._options.now(), ledger.timestamp),
            new_id=self._options.new_id,
        )
        facts, line = encode(stamped)
        try:
            ledger.enter(cast("JsonValue", list(facts)), length=len(line))
        except Refusal as refusal:
            raise RejectedTransaction(
                f"The transaction breaks a rule of the session format: {refusal.code}.",
                code=refusal.code,
                seq=refusal.seq,
            ) from refusal
        admit(operation, facts, unanswered=unanswered)
        return facts, line

    def _write_inline(self, transactions: Sequence[Transaction]) -> StoreError | None:
        try:
            if transactions:
                self._log.append(transactions, sync=False)
        except StoreError as error:
            return error
        return None

    def _leave_to_thread(self, batch: _Batch) -> None:
        """Hand the batch over in the next turn of the loop, with whoever comes in this one."""
        self._unwritten = batch
        self._idle.clear()
        asyncio.get_running_loop().call_soon(self._hand_over, batch)

    def _hand_over(self, batch: _Batch) -> None:
        self._judge_waiting(batch)
        write = partial(self._log.append, batch.transactions, sync=batch.sync)
        self._writer.do(write).add_done_callback(partial(self._written, batch))

    def _written(self, batch: _Batch, written: asyncio.Future[None]) -> None:
        self._unwritten = None
        self._settle(batch, written.exception())
        self._pump()

    def _settle(self, batch: _Batch, failure: BaseException | None) -> None:
        """Publish a written batch, or take it back; answer everybody in order."""
        if failure is not None:
            self._ledger.rollback(batch.mark)
        for candidate, verdict in batch.verdicts:
            outcome = candidate.outcome = verdict if failure is None else failure
            if candidate.told is not None and not candidate.told.cancelled():
                candidate.told.set_result(None)
            if not isinstance(outcome, BaseException):
                self._published(outcome)
