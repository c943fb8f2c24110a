"""Accepting a prompt: with its context, at once or behind others."""

from __future__ import annotations

import asyncio

from perdure.agent import records
from perdure.agent.context.completing import completions
from perdure.agent.parts import Parts
from perdure.agent.prompt_text import well_formed
from perdure.agent.queue_commands import QueueCommands
from perdure.protocol.prompts import (
    CompleteArguments,
    CompleteResult,
    PromptArguments,
    PromptResult,
)


class Prompting:
    """Serves one folder; ``commands`` is its command lock."""

    def __init__(self, parts: Parts, queue: QueueCommands) -> None:
        self._commands = parts.commands
        self._root = parts.folder.root
        self._desk = parts.desk
        self._access = parts.access
        self._context = parts.context
        self._keys = parts.keys
        self._new_id = parts.options.new_id
        self._queue = queue

    async def accept(self, arguments: PromptArguments) -> PromptResult:
        """Accept a prompt; returns once it is durable, before the model is called."""
        text = self._keys().without(well_formed(arguments["text"]))
        async with self._commands:
            await self._access.make_free()
            if not arguments.get("newSession", False):
                await self._access.make_writable(go_on=True)
                await self._access.open(arguments.get("sessionId"))
                if arguments.get("queue", False) and self._queue.must_wait():
                    return await self._queue.add(text, await self._attached(arguments))
            self._access.require_finished()
            attached = await self._attached(arguments)
            configuration = await self._desk.configure()
            session = await self._access.session_for(arguments, configuration)
            shown = session.state.active_context
            content = await self._context.composed(text, attached, shown)
            operation_id = self._new_id()
            drafts = records.accept_run(content, entry_id=self._new_id(), operation_id=operation_id)
            await session.accept(drafts)
            self._desk.go(configuration)
            return {"sessionId": session.state.header.id, "operationId": operation_id}

    async def complete(self, arguments: CompleteArguments) -> CompleteResult:
        """Complete the path of a mention."""
        paths = await asyncio.to_thread(completions, arguments["prefix"], root=self._root)
        return {"paths": paths}

    async def _attached(self, arguments: PromptArguments) -> tuple[str, ...]:
        """Return the context that comes with a prompt; instructions for it come once."""
        state = None if arguments.get("newSession", False) else self._desk.state
        shown = state.active_context if state else ()
        return await self._context.attached(arguments.get("attachments", []), shown)
