"""What can be done about a blocked operation, beyond restoring what it needs or aborting it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.agent.blocked_document import blocked_document
from perdure.agent.parts import Parts
from perdure.errors import CommandError, StorageFailed
from perdure.protocol.operations import ResumeResult, SessionArguments
from perdure.protocol.status import Status
from perdure.store.places import data_path
from perdure.tools.own_files import private_folder


class Remedies:
    """Serves one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts) -> None:
        self._commands = parts.commands
        self._desk = parts.desk
        self._access = parts.access
        self._reopening = parts.reopening
        self._options = parts.options

    async def resume_recorded(self, arguments: SessionArguments) -> ResumeResult:
        """Go on under the configuration that is recorded, for this operation alone.

        Raises ``CommandError`` ``not_found`` that names what is no longer available.
        """
        async with self._commands:
            await self._access.make_writable(go_on=False)
            await self._access.open(arguments.get("sessionId"))
            return await self._reopening.resume_recorded()

    async def write_changed(self) -> Path:
        """Write why the operation is blocked into ``S.d/changed.md``; return that file.

        Raises ``CommandError`` ``not_found`` where nothing is blocked, and ``StorageFailed``.
        """
        blocked = self._desk.board.status()["blocked"]
        session = self._desk.session
        if blocked is None or session is None:
            raise CommandError("Nothing is blocked here.", code="not_found")
        file = data_path(session.store.path) / "changed.md"
        try:
            await asyncio.to_thread(_write, file, blocked_document(blocked))
        except OSError as error:
            raise StorageFailed(f"{file} could not be written: {error}.") from error
        return file

    async def relocate(self, arguments: SessionArguments) -> Status:
        """Go on in a new session of this folder with the past of one of another environment.

        What is unfinished there is aborted first, durably and in the old file: its effects run
        only where it began. The new session's ``S.origin.json`` names the old one. Calling it
        again after a crash on the way is harmless. Raises ``CommandError`` ``invalid_params`` for
        a session that belongs here already, and ``StoreError``.
        """
        async with self._commands:
            await self._access.make_writable(go_on=False)
            await self._access.open(arguments.get("sessionId"))
            session = self._desk.session
            if session is None:
                raise CommandError("There is no session to relocate.", code="not_found")
            if not self._access.is_elsewhere:
                raise CommandError("The session belongs to this folder already.")
            identity = (await self._desk.configure()).provider.identity
            await self._desk.abort()
            path = await self._desk.sessions.fork(session.store.path, None, identity, self._options)
            await self._desk.open(path)
            await self._reopening.opened()
            return self._desk.board.status()


def _write(file: Path, text: str) -> None:
    private_folder(file.parent)
    file.touch(mode=0o600)
    file.write_text(text, encoding="utf-8")
