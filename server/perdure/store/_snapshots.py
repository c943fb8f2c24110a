"""When a snapshot is taken: a while after an operation ended, and on closing.

Never while something waits to be committed. What must happen on the event loop is to copy the
ledger's indexes; all else happens in a thread, beside the work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from perdure.core.facts import Fact
from perdure.core.reducer.ledger import Ledger
from perdure.store._sealed_log import SealedLog
from perdure.store._snapshot_file import write_snapshot
from perdure.store.options import StoreOptions


class Snapshots:
    """The snapshots of an open session; ``covered`` bytes of it have one.

    ``is_idle`` tells whether ledger and log are one. Lives on one event loop.
    """

    def __init__(
        self,
        path: Path,
        *,
        options: StoreOptions,
        ledger: Ledger,
        log: SealedLog,
        covered: int,
        is_idle: Callable[[], bool],
    ) -> None:
        self._files = options.files
        self._level = options.level
        self._rules = options.snapshots
        self._path = path
        self._ledger = ledger
        self._log = log
        self._covered = covered
        self._is_idle = is_idle
        self._timer: asyncio.TimerHandle | None = None
        self._taking: asyncio.Future[bool] | None = None

    def committed(self, facts: Sequence[Fact]) -> None:
        """Plan a snapshot if an operation ended and enough was added."""
        rules = self._rules
        if self._timer is None and any(map(_is_terminal, facts)) and self._is_due(rules.added):
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(rules.pause_seconds, self._take)

    async def close(self) -> None:
        """Take the last snapshot, if it is worth it; nothing is taken any more on return."""
        if self._timer is not None:
            self._timer.cancel()
        if self._taking is not None:
            await asyncio.wait([self._taking])
        if self._is_due(self._rules.added_on_closing):
            self._take()
        if self._taking is not None:
            await asyncio.wait([self._taking])

    def _is_due(self, least: int) -> bool:
        size = self._log.place.end
        return size - self._covered >= max(least, size // self._rules.share)

    def _take(self) -> None:
        self._timer = None
        if not self._is_idle() or (self._taking is not None and not self._taking.done()):
            return
        place = self._log.place
        self._covered = place.end
        write = partial(
            write_snapshot,
            self._files,
            self._path,
            self._ledger.fork(),
            place,
            sidecar=self._log.sidecar_size,
            level=self._level,
        )
        self._taking = asyncio.get_running_loop().run_in_executor(None, write)


def _is_terminal(fact: Fact) -> bool:
    return fact["kind"] == "record" and fact["record"]["type"] == "operationFinished"
