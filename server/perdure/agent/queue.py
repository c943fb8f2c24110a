"""The prompts that wait in the session on the desk, in memory and in ``S.queue.json``.

A change is durable before it is shown. Callers hold the command lock of the folder.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from perdure.errors import CommandError, StoreError
from perdure.protocol.status import QueuedInfo
from perdure.store.queue_file import QueuedPrompt, QueueFile, SetAside


class PromptQueue:
    """First in, first out; ``changed`` is called when something else waits than before."""

    def __init__(self, file: QueueFile, changed: Callable[[], None]) -> None:
        self.items: tuple[QueuedPrompt, ...] = ()
        self._file = file
        self._changed = changed
        self._writing: asyncio.Future[None] | None = None

    async def load(self, is_accepted: Callable[[str], bool]) -> Path | None:
        """Read what waits, without what the log has accepted already.

        Returns where an unreadable queue was set aside. Raises ``StoreError``.
        """
        read = await asyncio.to_thread(self._file.read)
        if isinstance(read, SetAside):
            return read.evidence
        self.items = tuple(item for item in read if not is_accepted(item.id))
        if self.items != read:
            with suppress(StoreError):  # every later opening sees the same and tries again
                await self._store(self.items)
        return None

    async def add(self, prompt: QueuedPrompt) -> int:
        """Let ``prompt`` wait behind all others; return its position, from 1."""
        await self._store((*self.items, prompt))
        return len(self.items)

    async def edit(self, queued_id: str, text: str) -> None:
        """Change a text in its place. Raises ``CommandError`` ``not_found``."""
        self._require(queued_id)
        await self._store(
            [replace(item, text=text) if item.id == queued_id else item for item in self.items]
        )

    async def remove(self, queued_id: str) -> None:
        """Drop a prompt. Raises ``CommandError`` ``not_found``."""
        self._require(queued_id)
        await self._store(self._without(queued_id))

    async def handed_over(self, queued_id: str) -> None:
        """Forget a prompt that the log has accepted.

        Raises ``StoreError`` when the file still holds it; the next opening sees that it ran.
        """
        self._show(self._without(queued_id))
        await self._store(self.items)

    async def settle(self) -> None:
        """Wait for a write whose caller has gone away."""
        if self._writing is not None:
            await asyncio.wait({self._writing})

    def _without(self, queued_id: str) -> tuple[QueuedPrompt, ...]:
        return tuple(item for item in self.items if item.id != queued_id)

    def _require(self, queued_id: str) -> None:
        if all(item.id != queued_id for item in self.items):
            raise CommandError(
                f"No prompt {queued_id} waits: it has started, or it was removed.",
                code="not_found",
            )

    async def _store(self, items: Sequence[QueuedPrompt]) -> None:
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(None, self._file.write, items)
        await asyncio.shield(self._writing)
        self._show(tuple(items))

    def _show(self, items: tuple[QueuedPrompt, ...]) -> None:
        if items != self.items:
            self.items = items
            self._changed()


def queue_info(items: Sequence[QueuedPrompt]) -> list[QueuedInfo]:
    """Return the prompts as the protocol shows them."""
    return [{"queuedId": item.id, "text": item.text} for item in items]
