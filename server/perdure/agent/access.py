"""Getting at the session that a command means: writable, finished, the right one; or a refusal."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.agent.configuration import Configuration
from perdure.agent.desk import Desk
from perdure.agent.folder import Folder
from perdure.agent.refusals import Busy, Unavailable
from perdure.agent.reopening import Reopening
from perdure.agent.session import Session
from perdure.core.state import Idle, SessionState
from perdure.errors import CommandError
from perdure.protocol.prompts import PromptArguments
from perdure.store.exclusive import exclusively
from perdure.store.options import StoreOptions


class Access:
    """Used under the command lock of one folder."""

    def __init__(
        self, *, folder: Folder, desk: Desk, reopening: Reopening, options: StoreOptions
    ) -> None:
        self._folder = folder
        self._desk = desk
        self._reopening = reopening
        self._options = options

    async def make_writable(self, *, go_on: bool) -> None:
        """Open again what could not be written; with ``go_on`` do then what reopening does.

        Raises ``Unavailable`` when it still cannot be written.
        """
        if self._desk.reopen is None:
            return
        await self._desk.open(self._desk.reopen)
        self._require_open()
        if go_on:
            await self._reopening.opened()

    async def make_free(self) -> None:
        """Take the session from another process that let go of it.

        One that is damaged may be left behind, one that is in use may not.
        """
        if self._desk.in_use:
            await self.make_writable(go_on=True)

    def require_finished(self) -> None:
        """Raise ``Busy`` while an operation is unfinished, whether it runs or not."""
        if self._desk.unfinished:
            raise Busy(self._desk.board.status())

    def is_ours(self, path: Path) -> bool:
        """Whether a session file is the one that is open for writing."""
        return self._desk.session is not None and self._desk.session.store.path == path

    async def require_idle(self, path: Path) -> None:
        """Refuse a session that works here or elsewhere; a damaged one is idle.

        Raises ``CommandError`` ``busy``, ``SessionInUse`` and ``SessionNotFound``.
        """
        if self.is_ours(path):
            self.require_finished()
        else:
            await asyncio.to_thread(self._require_free, path)

    def is_open(self, session_id: str | None) -> bool:
        """Whether the session is the one on the desk; None means whichever is."""
        state = self._desk.state
        return session_id is None or (state is not None and state.header.id == session_id)

    @property
    def is_elsewhere(self) -> bool:
        """Whether what lies on the desk is no session of this environment."""
        state = self._desk.state
        here = self._folder.environment_identity
        return state is None or state.header.environment_identity != here

    async def open(self, session_id: str | None) -> None:
        """Put the session on the desk, unless it lies there or none is named.

        Raises ``Busy`` while another one is unfinished, ``SessionNotFound``, ``Unavailable``.
        """
        if session_id is None or self.is_open(session_id):
            return
        self.require_finished()
        path = await asyncio.to_thread(self._desk.sessions.catalog.find, session_id)
        await self._desk.open(path)
        self._require_open()

    async def session_for(
        self, arguments: PromptArguments, configuration: Configuration
    ) -> Session:
        """Return the session of a prompt: the one on the desk, or a new one.

        A new one is made where there is none, where it is asked for, and where the session
        belongs to another environment.
        """
        if self.is_elsewhere or arguments.get("newSession", False):
            await self._desk.create(configuration)
        return self._require_open()

    def _require_free(self, path: Path) -> None:
        with exclusively(path, self._options):
            state = self._desk.sessions.catalog.reduce(path)
        if isinstance(state, SessionState) and not isinstance(state.operation, Idle):
            raise CommandError(
                "This session has an unfinished operation: open it and resume or abort it first.",
                code="busy",
            )

    def _require_open(self) -> Session:
        if self._desk.session is None:
            raise Unavailable(self._desk.board.status())
        return self._desk.session
