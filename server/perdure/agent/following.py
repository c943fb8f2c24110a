"""Showing a session that is not ours to write: read again whenever its file has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from perdure.agent.sessions import Sessions
from perdure.core.state import SessionState
from perdure.errors import StoreError
from perdure.store.follow import Revision, revision_of

INTERVAL_SECONDS = 0.5


class Following:
    """A read-only view of one session file."""

    def __init__(self, path: Path, sessions: Sessions, changed: Callable[[], None]) -> None:
        self.state: SessionState | None = None
        self._path = path
        self._sessions = sessions
        self._changed = changed
        self._task: asyncio.Task[None] | None = None

    async def start(self, *, follow: bool) -> None:
        """Read the session now and, with ``follow``, again whenever it changes."""
        seen = self._revision()
        await self._read()
        if follow:
            self._task = asyncio.create_task(self._follow(seen))

    async def stop(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _follow(self, seen: Revision | None) -> None:
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            now = self._revision()
            if now != seen:
                seen = now
                await self._read()
                self._changed()

    def _revision(self) -> Revision | None:
        """Return what changes with every write, None while the file cannot be looked at."""
        try:
            return revision_of(self._path)
        except StoreError:
            return None

    async def _read(self) -> None:
        try:
            self.state = await self._sessions.read(self._path)
        except StoreError:
            self.state = None
