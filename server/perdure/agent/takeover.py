"""Taking a session over from another process, and letting go of one that is asked for.

Both sides look at a file beside the session (``perdure.store.takeover``). The holder suspends as
it does when its window is closed: nothing is committed. Then the one who asked does what
reopening does.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from perdure.agent.folder_events import moved_in
from perdure.agent.parts import Parts
from perdure.agent.session import Session
from perdure.errors import SessionInUse
from perdure.protocol.operations import FolderArguments
from perdure.protocol.status import Status
from perdure.store.takeover import PATIENCE_MS, Request, ask, is_held, pending, withdraw

LOOK_SECONDS = 0.5
"""How often a holder looks for a request, where the system does not tell of new files."""
_FIRST_LOOK_SECONDS = 2.0
"""Where it does, one look is for a request that came before we heard; who asks waits longer."""
_PROBE_SECONDS = 0.05


class TakeOver:
    """Both sides, for one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts) -> None:
        self._commands = parts.commands
        self._desk = parts.desk
        self._access = parts.access
        self._host = parts.host
        self._options = parts.options

    async def take(self, _: FolderArguments) -> Status:
        """Have the holder let go of the session shown here, then do what reopening does.

        A holder that is dead needs no asking. Raises ``Unavailable`` ``session_in_use`` when the
        holder has not let go within 3 s, and ``StoreError``.
        """
        async with self._commands:
            if self._desk.in_use and self._desk.reopen is not None:
                await self._until_free(self._desk.reopen)
                await self._access.make_free()
            return self._desk.board.status()

    async def watch(self, session: Session) -> None:
        """Let go of ``session`` when it is asked for; to be cancelled when another is placed."""
        asked = asyncio.Event()
        with moved_in(session.store.path.parent, asked.set) as told:
            seconds: float | None = _FIRST_LOOK_SECONDS if told else LOOK_SECONDS
            while self._desk.session is session:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await asked.wait()
                asked.clear()
                seconds = None if told else LOOK_SECONDS
                if self._request_for(session) is not None:
                    async with self._commands:
                        await self._let_go(session)

    async def _let_go(self, session: Session) -> None:
        request = self._request_for(session)
        if request is None or self._desk.session is not session:
            return
        who = f"process {request.pid}"
        name = session.store.path.name
        sentence = f"Session {name} was taken over by {who}; close it there to go on here."
        await self._desk.let_go(SessionInUse(sentence, pid=request.pid))
        self._host.tell("info", f"This session goes on in {who}, which has taken it over.")

    def _request_for(self, session: Session) -> Request | None:
        return pending(session.store.path, now=self._options.now())

    async def _until_free(self, path: Path) -> None:
        """Ask, and wait until the lock is free or patience ends."""
        if not is_held(self._options.files, path):
            return
        request = Request(os.getpid(), self._options.now())
        ask(path, request)
        try:
            async with asyncio.timeout(PATIENCE_MS / 1000):
                while is_held(self._options.files, path):  # noqa: ASYNC110  another process ends it
                    await asyncio.sleep(_PROBE_SECONDS)
        except TimeoutError:
            return
        finally:
            withdraw(path, request)
