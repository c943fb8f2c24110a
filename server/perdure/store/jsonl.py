"""``SessionStore``: one session file, one writer, facts in and facts out.

::

    create / open     lock the file, repair its torn tail, reduce it
    state, load       the last durable state
    commit            append one transaction, all or nothing
    subscribe         hear of transactions once they are durable
    close             give up the lock
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from perdure.core.codec import encode_line
from perdure.core.facts import Draft, Fact, Header
from perdure.core.state import SessionState
from perdure.errors import StorageFailed
from perdure.store._commits import CommitQueue
from perdure.store._opening import Opened, create_log, open_log
from perdure.store._snapshots import Snapshots
from perdure.store._writer_thread import WriterThread
from perdure.store.options import StoreOptions
from perdure.store.places import session_file_name
from perdure.store.repair import TornTail

Observer = Callable[[tuple[Fact, ...]], None]

logger = logging.getLogger(__name__)


class SessionStore:
    """An open session. Use it on the event loop that opened it."""

    def __init__(self, opened: Opened, *, options: StoreOptions, writer: WriterThread) -> None:
        self.path = opened.path
        self.torn_tail: TornTail | None = opened.torn_tail
        self._log = opened.log
        self._ledger = opened.ledger
        self._writer = writer
        self._observers: list[Observer] = []
        self._closing = False
        self._commits = CommitQueue(
            ledger=opened.ledger,
            log=opened.log,
            options=options,
            writer=writer,
            published=self._notify,
        )
        self._snapshots = Snapshots(
            opened.path,
            options=options,
            ledger=opened.ledger,
            log=opened.log,
            covered=opened.covered,
            is_idle=lambda: self._commits.is_idle,
        )

    @classmethod
    async def create(
        cls,
        sessions: Path,
        *,
        cwd: str,
        provider: str,
        model: str,
        environment_identity: str,
        options: StoreOptions,
    ) -> SessionStore:
        """Create a session in the directory ``sessions``; the header is durable on return.

        Raises ``StorageFull`` or ``StorageFailed``; then no file is left.
        """
        created_at = options.now()
        header = Header(
            kind="header",
            version=2,
            id=options.new_id(),
            createdAt=created_at,
            cwd=cwd,
            provider=provider,
            model=model,
            environmentIdentity=environment_identity,
        )
        path = sessions / session_file_name(header["id"], created_at)
        return await cls._open_in_thread(
            lambda: create_log(path, encode_line(header), options), options
        )

    @classmethod
    async def open(cls, path: Path, *, options: StoreOptions) -> SessionStore:
        """Open an existing session for writing; ``torn_tail`` says what was cut off, if any.

        Reads and reduces in a thread. Raises ``SessionNotFound``, ``SessionInUse``,
        ``SessionCorrupt``, ``UnsupportedVersion``, or another ``StoreError`` for an unsafe path
        or a failing disk; then no byte of the log was changed.
        """
        return await cls._open_in_thread(lambda: open_log(path, options), options)

    @property
    def state(self) -> SessionState:
        """Return the last durable state."""
        return self._commits.state

    async def load(self) -> SessionState:
        """Return the last durable state."""
        return self._commits.state

    def has_entry(self, entry_id: str) -> bool:
        """Tell whether an entry of this id was accepted; costs the same whatever the history."""
        return self._ledger.entry(entry_id) is not None

    async def commit(self, drafts: Sequence[Draft]) -> tuple[Fact, ...]:
        """Append one transaction and return its facts, to be read only.

        Cancelling the caller does not cut it short: the transaction is still stored or refused.
        Raises ``RejectedTransaction`` (a rule is broken) or ``StorageFull`` with bytes, seq and
        state as before, and ``StorageFailed``, whose message says when the outcome is unknown.
        """
        if self._closing:
            raise StorageFailed("The session is closed; open it again.")
        return await self._commits.commit(drafts)

    def subscribe(self, observer: Observer) -> Callable[[], None]:
        """Call ``observer`` with each durable transaction, in order; returns the way to stop.

        ``state`` may be ahead of it: transactions are written several at a time. What the
        observer raises is logged and changes nothing.
        """
        self._observers.append(observer)
        return lambda: self._observers.remove(observer)

    async def close(self) -> None:
        """Write what is queued, then give up the lock; harmless when repeated.

        Much that was added then gets a snapshot, for which nobody has to wait.
        """
        self._closing = True
        await self._commits.wait_idle()
        self._log.close()
        self._writer.stop()
        await self._snapshots.close()

    @classmethod
    async def _open_in_thread(
        cls, opening: Callable[[], Opened], options: StoreOptions
    ) -> SessionStore:
        writer = WriterThread()
        opened = writer.do(opening)
        try:
            result = await asyncio.shield(opened)
        except BaseException:
            opened.add_done_callback(_close_unused)
            writer.stop()
            raise
        return cls(result, options=options, writer=writer)

    def _notify(self, facts: tuple[Fact, ...]) -> None:
        for observer in self._observers.copy():
            try:
                observer(facts)
            except Exception:  # the session must not depend on whoever watches it
                logger.exception("An observer of %s failed", self.path.name)
        self._snapshots.committed(facts)


def _close_unused(opened: asyncio.Future[Opened]) -> None:
    """Free a session that was opened for a caller who has gone away."""
    if not opened.cancelled() and opened.exception() is None:
        opened.result().log.close()
