"""Updates on their way to the client, in order, without ever making the agent wait.

What is only for the moment is merged with what waits already: text of one kind becomes one chunk,
and of the running output of a call only the latest is sent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from acp import helpers
from acp.schema import AgentMessageChunk, AgentThoughtChunk, TextContentBlock

from perdure.acp.projection import Succeeded, Update


@dataclass(slots=True)
class _Text:
    """Text that waits and can be added to."""

    text: str
    is_thought: bool


@dataclass(frozen=True, slots=True)
class _Item:
    """Any other update; ``key`` names what a later one replaces, "" for nothing."""

    update: Update | Succeeded
    key: str


class Outbox:
    """A queue, and the task that empties it by ``send``."""

    def __init__(self, send: Callable[[Update | Succeeded], Awaitable[None]]) -> None:
        self._send = send
        self._waiting: deque[_Text | _Item] = deque()
        self._filled = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()
        self._task = asyncio.create_task(self._run())

    def put(self, update: Update | Succeeded, *, key: str = "") -> None:
        """Add an update; one of the same ``key`` that is the last to wait is replaced."""
        last = self._waiting[-1] if self._waiting else None
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)):
                self._put_text(last, text, is_thought=False)
            case AgentThoughtChunk(content=TextContentBlock(text=text)):
                self._put_text(last, text, is_thought=True)
            case _:
                if key and isinstance(last, _Item) and last.key == key:
                    self._waiting.pop()
                self._waiting.append(_Item(update, key))
        self._empty.clear()
        self._filled.set()

    async def flush(self) -> None:
        """Return when everything that was added is sent, or the client is gone."""
        empty = asyncio.create_task(self._empty.wait())
        await asyncio.wait({empty, self._task}, return_when=asyncio.FIRST_COMPLETED)
        empty.cancel()

    async def close(self) -> None:
        """Send nothing any more."""
        self._task.cancel()
        await asyncio.wait({self._task})

    def _put_text(self, last: _Text | _Item | None, text: str, *, is_thought: bool) -> None:
        if isinstance(last, _Text) and last.is_thought == is_thought:
            last.text += text
        else:
            self._waiting.append(_Text(text, is_thought))

    async def _run(self) -> None:
        """Send until the client is gone: then whatever waits is of no use to anyone."""
        try:
            while True:
                await self._filled.wait()
                while self._waiting:
                    await self._send(_update(self._waiting.popleft()))
                self._filled.clear()
                self._empty.set()
        except ConnectionError:
            self._waiting.clear()


def _update(item: _Text | _Item) -> Update | Succeeded:
    match item:
        case _Item(update):
            return update
        case _Text(text, True):
            return helpers.update_agent_thought_text(text)
        case _Text(text):
            return helpers.update_agent_message_text(text)
