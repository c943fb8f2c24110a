"""The transcripts of a folder's sessions: of the one on the desk, and of any other on disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from pathlib import Path

from perdure.agent.desk import Desk
from perdure.agent.transcript import Document
from perdure.agent.transcript.file import TranscriptFile
from perdure.core.masking import as_stored, masked
from perdure.core.state import SessionState
from perdure.errors import CommandError, StoreError
from perdure.store.follow import Revision, revision_of

KEPT = 16
"""How many transcripts stay in memory; others are read again when they are asked for."""


class Transcripts:
    """Renders sessions when they are asked for, and remembers the latest ones."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._files: OrderedDict[Path, TranscriptFile] = OrderedDict()
        self._paths: dict[str, Path] = {}
        self._lock = asyncio.Lock()

    async def document(self, session_id: str) -> Document:
        """Return the document of the session's durable facts.

        Of a damaged session it shows, and says so, what stands before the damage. Raises
        ``StoreError``, and ``CommandError`` ``session_corrupt`` when nothing does.
        """
        async with self._lock:
            path = await self.path(session_id)
            state, notice = self._state_here(session_id), ""
            if state is None:
                state, notice = await self._state_on_disk(path)
            shown = masked if self._desk.settings.mask_secrets else as_stored
            catch_up = self._file(path).catch_up
            return await asyncio.to_thread(catch_up, state, notice=notice, shown=shown)

    async def path(self, session_id: str) -> Path:
        """Return the session's file. Raises ``StoreError``."""
        session = self._desk.session
        if session is not None and session.state.header.id == session_id:
            return session.store.path
        return await asyncio.to_thread(self._desk.sessions.catalog.find, session_id)

    async def revision(self, session_id: str) -> Revision | None:
        """Return what is another one when others have written the session.

        None for a session that this process writes, whose changes are told as they are committed,
        and for one that cannot be found. Cheap, for it is asked again and again.
        """
        if self._state_here(session_id) is not None:
            return None
        try:
            path = self._paths.get(session_id) or await self.path(session_id)
            revision = await asyncio.to_thread(revision_of, path)
        except StoreError:
            self._paths.pop(session_id, None)
            return None
        self._paths[session_id] = path
        return revision

    def _state_here(self, session_id: str) -> SessionState | None:
        """Return the state of the session if this process writes it."""
        session = self._desk.session
        if session is None or session.state.header.id != session_id:
            return None
        return session.state

    async def _state_on_disk(self, path: Path) -> tuple[SessionState, str]:
        """Return what can be shown of a session, and what has to be said of a damaged one."""
        verdict = await asyncio.to_thread(self._desk.sessions.catalog.reduce, path)
        if isinstance(verdict, SessionState):
            return verdict, ""
        where = f"line {verdict.line}, byte {verdict.offset}: {verdict.reason}"
        if verdict.stands is None:
            raise CommandError(f"{path} is damaged at {where}.", code="session_corrupt")
        notice = f"The file is damaged at {where}. Only what stands before that is shown."
        return verdict.stands, notice

    def _file(self, path: Path) -> TranscriptFile:
        file = self._files.pop(path, None) or TranscriptFile(path)
        self._files[path] = file
        if len(self._files) > KEPT:
            self._files.popitem(last=False)
        return file
