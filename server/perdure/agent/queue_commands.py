"""The commands about prompts that wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

from perdure.agent.parts import Parts
from perdure.agent.prompt_text import well_formed
from perdure.agent.queue import PromptQueue, queue_info
from perdure.agent.session import Session
from perdure.errors import CommandError, StorageFailed
from perdure.protocol.operations import SessionArguments
from perdure.protocol.prompts import (
    PromptResult,
    QueueEditArguments,
    QueueRemoveArguments,
    QueueResult,
)
from perdure.store.queue_file import QueuedPrompt, peek_queue


class QueueCommands:
    """Serves one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts) -> None:
        self._commands = parts.commands
        self._desk = parts.desk
        self._access = parts.access
        self._hand_over = parts.hand_over
        self._keys = parts.keys
        self._new_id = parts.options.new_id

    async def listed(self, arguments: SessionArguments) -> QueueResult:
        """Return what waits, in a session in use elsewhere or not open too."""
        queue, session_id = self._desk.queue, arguments.get("sessionId")
        if queue is not None and self._access.is_open(session_id):
            return {"items": queue_info(queue.items)}
        path = await self._closed_session(session_id)
        items = () if path is None else await asyncio.to_thread(peek_queue, path)
        return {"items": queue_info(items)}

    async def edit(self, arguments: QueueEditArguments) -> QueueResult:
        """Change the text of a prompt that waits. Raises ``CommandError`` ``not_found``."""
        text = self._keys().without(well_formed(arguments["text"]))
        async with self._commands:
            queue = await self._writable(arguments.get("sessionId"))
            await queue.edit(arguments["queuedId"], text)
            return {"items": queue_info(queue.items)}

    async def remove(self, arguments: QueueRemoveArguments) -> QueueResult:
        """Drop a prompt that waits. Raises ``CommandError`` ``not_found``."""
        async with self._commands:
            queue = await self._writable(arguments.get("sessionId"))
            await queue.remove(arguments["queuedId"])
            return {"items": queue_info(queue.items)}

    def must_wait(self) -> bool:
        """Whether a prompt for the session on the desk cannot be the next one."""
        return self._desk.unfinished or self._hand_over.has_next

    async def add(self, text: str, attached: tuple[str, ...]) -> PromptResult:
        """Let a prompt wait, durably, with its context; callers hold the command lock.

        Where nothing is unfinished, the first of those that wait is started.
        """
        session, queue = self._open()
        queued_id = self._new_id()
        position = await queue.add(QueuedPrompt(queued_id, text, attached))
        await self._hand_over.try_start()
        session_id = session.state.header.id
        return {"sessionId": session_id, "queuedId": queued_id, "position": position}

    async def _writable(self, session_id: str | None) -> PromptQueue:
        await self._access.make_writable(go_on=False)
        await self._access.open(session_id)
        return self._open()[1]

    def _open(self) -> tuple[Session, PromptQueue]:
        session, queue = self._desk.session, self._desk.queue
        if session is None:
            raise CommandError("No session is open, so no prompt waits.", code="not_found")
        if queue is None:
            raise StorageFailed("The session's queue could not be read; open the session again.")
        return session, queue

    async def _closed_session(self, session_id: str | None) -> Path | None:
        """Return the file of a session that is not open for writing here."""
        if session_id is None:
            return self._desk.reopen
        return await asyncio.to_thread(self._desk.sessions.catalog.find, session_id)
