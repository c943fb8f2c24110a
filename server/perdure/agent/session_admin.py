"""The commands about whole sessions: rename, search, delete, export, fork."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from pathlib import Path

from perdure.agent.parts import Parts
from perdure.agent.session_facts import session_facts
from perdure.agent.session_search import search
from perdure.agent.transcript import transcript_of
from perdure.core.masking import Shown, as_stored, masked
from perdure.errors import CommandError
from perdure.protocol.operations import SessionArguments
from perdure.protocol.sessions import (
    DeleteSessionArguments,
    DeleteSessionResult,
    ExportSessionResult,
    ForkSessionArguments,
    RenameSessionArguments,
    RenameSessionResult,
    SearchSessionsArguments,
    SearchSessionsResult,
)
from perdure.protocol.status import Status
from perdure.store.exclusive import exclusively
from perdure.store.follow import inspect
from perdure.store.repair import corruption_error
from perdure.store.titles import normalised_title, write_title
from perdure.store.trash import move_to_trash
from perdure.store.verdict import Damaged


class SessionAdmin:
    """Serves one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts) -> None:
        self._commands = parts.commands
        self._desk = parts.desk
        self._access = parts.access
        self._reopening = parts.reopening
        self._host = parts.host
        self._options = parts.options
        self._keys = parts.keys

    async def rename(self, arguments: RenameSessionArguments) -> RenameSessionResult:
        """Give a session a title of its own; an empty one brings the first prompt back."""
        title = normalised_title(self._keys().without(arguments["title"]))
        async with self._commands:
            path = await self._find(arguments["sessionId"])
            ours = self._access.is_ours(path)
            await asyncio.to_thread(self._write_title, path, title, ours=ours)
            summaries = await asyncio.to_thread(self._desk.sessions.catalog.list)
        shown = next((summary.title for summary in summaries if summary.path == path), title)
        return {"sessionId": arguments["sessionId"], "title": shown}

    async def search(self, arguments: SearchSessionsArguments) -> SearchSessionsResult:
        """Find sessions by a text in title or transcript, newest first."""
        return await search(self._desk.sessions.catalog, arguments, shown=self._shown)

    async def delete(self, arguments: DeleteSessionArguments) -> DeleteSessionResult:
        """Move a session and all that belongs to it into the trash, if the user agrees.

        Raises ``CommandError`` ``busy`` for one with an unfinished operation, ``SessionInUse``,
        ``SessionNotFound`` and ``StoreError``. While the question is open, other commands go on.
        """
        async with self._commands:
            path = await self._deletable(arguments["sessionId"])
        if not arguments.get("confirmed", False) and not await self._agreed(path):
            return {"outcome": "kept"}
        async with self._commands:
            path = await self._deletable(arguments["sessionId"])
            if self._access.is_ours(path) or self._desk.reopen == path:
                await self._desk.put_away()
                self._desk.board.publish()
            folder = await asyncio.to_thread(move_to_trash, path, self._options)
        return {"outcome": "deleted", "path": str(folder)}

    async def export(self, arguments: SessionArguments) -> ExportSessionResult:
        """Return a transcript as Markdown; that of the session on the desk unless one is named."""
        state = self._desk.state
        session_id = arguments.get("sessionId") or (state.header.id if state else None)
        if session_id is None:
            raise CommandError("There is no session to export.", code="not_found")
        path = await self._find(session_id)
        return {"markdown": await asyncio.to_thread(_markdown, path, self._shown)}

    async def fork(self, arguments: ForkSessionArguments) -> Status:
        """Open a new session with the past before one of the user's turns."""
        async with self._commands:
            await self._access.make_free()
            self._access.require_finished()
            configuration = await self._desk.configure()
            origin = await self._find(arguments["sessionId"])
            identity = configuration.provider.identity
            path = await self._desk.sessions.fork(
                origin, arguments["entryId"], identity, self._options
            )
            await self._desk.open(path)
            await self._reopening.opened()
            return self._desk.board.status()

    @property
    def _shown(self) -> Shown:
        return masked if self._desk.settings.mask_secrets else as_stored

    async def _find(self, session_id: str) -> Path:
        return await asyncio.to_thread(self._desk.sessions.catalog.find, session_id)

    def _write_title(self, path: Path, title: str, *, ours: bool) -> None:
        with nullcontext() if ours else exclusively(path, self._options):
            write_title(path, title, self._options)

    async def _deletable(self, session_id: str) -> Path:
        path = await self._find(session_id)
        await self._access.require_idle(path)
        return path

    async def _agreed(self, path: Path) -> bool:
        question = f"Delete the session {path.stem}? It is moved to {path.parent.parent / 'trash'}."
        return await self._host.ask(question, ["Delete", "Keep"]) == "Delete"


def _markdown(path: Path, shown: Shown) -> str:
    data, verdict = inspect(path)
    if isinstance(verdict, Damaged):
        raise corruption_error(path, data, verdict)
    state = verdict.ledger.state
    facts = session_facts(data[: state.repaired_length])
    return transcript_of(state.header, facts, shown=shown).text
