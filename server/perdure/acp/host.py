"""A client of the protocol as the agent's host."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from acp import helpers
from acp.exceptions import RequestError
from acp.schema import AgentMessageChunk, TextContentBlock, UsageUpdate, UserMessageChunk

from perdure.acp.edits import with_diff
from perdure.acp.outbox import Outbox
from perdure.acp.permission import OPTIONS, decision, question
from perdure.acp.projection import Projection, Succeeded, Update
from perdure.agent.host import Level, WithoutEditor
from perdure.core.facts import Fact
from perdure.core.records import OperationFinished
from perdure.protocol.approvals import ApproveParams, ApproveResult
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status

if TYPE_CHECKING:
    from acp.interfaces import Client

SHOWN_OUTPUT = 8_192
"""How many characters of the running output of a call are shown, the last ones."""

logger = logging.getLogger(__name__)


class ClientHost(WithoutEditor):
    """Implements ``perdure.agent.host.Host`` for one session.

    ``finished`` holds how each operation ended, by its id. ``session_id`` and ``data``, the
    session's own folder, are set when it is known which one is opened.
    """

    def __init__(self, client: Client, projection: Projection) -> None:
        self.session_id = ""
        self.data = Path()
        self.finished: dict[str, OperationFinished] = {}
        self.outbox = Outbox(self._send)
        self._client = client
        self._projection = projection
        self._streamed = ""
        self._output = ""
        self._context: tuple[int, int] | None = None
        self._changed = asyncio.Event()

    async def next_change(self) -> None:
        """Wait until the status changes."""
        await self._changed.wait()

    def catch_up(self, facts: Sequence[Fact], *, show: bool) -> None:
        """Take in, and perhaps show, what happened before the session was opened."""
        for fact in facts:
            for update in self._projection.take(fact):
                if show:
                    self.outbox.put(update)

    def say(self, text: str) -> None:
        """Say something that is no part of the conversation."""
        self.outbox.put(helpers.update_agent_message_text(text))

    def status_changed(self, status: Status) -> None:
        """Show how full the context is, and wake whoever waits."""
        used, size = status["usage"]["contextTokens"], status["usage"]["contextWindow"]
        if used is not None and size is not None and (used, size) != self._context:
            self._context = (used, size)
            update = UsageUpdate(session_update="usage_update", used=used, size=size)
            self.outbox.put(update, key="usage")
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def delta(self, params: DeltaParams) -> None:
        """Show provisional output."""
        match params["kind"]:
            case "text":
                self._streamed += params["text"]
                self.outbox.put(helpers.update_agent_message_text(params["text"]))
            case "reasoning":
                self.outbox.put(helpers.update_agent_thought_text(params["text"]))
            case "toolOutput" if self._projection.running is not None:
                key = self._projection.running
                self._output = (self._output + params["text"])[-SHOWN_OUTPUT:]
                content = [helpers.tool_content(helpers.text_block(self._output))]
                self.outbox.put(helpers.update_tool_call(key, content=content), key=key)
            case _:
                pass

    def committed(self, params: CommittedParams) -> None:
        """Show facts; what the client has sent or seen already is not shown again."""
        for fact in cast("list[Fact]", params["facts"]):
            if fact["kind"] == "record" and fact["record"]["type"] == "operationFinished":
                self.finished[fact["record"]["operationId"]] = fact["record"]
            for update in self._projection.take(fact):
                self._show(update)

    async def ask_approval(self, params: ApproveParams) -> ApproveResult | None:
        """Ask by ``session/request_permission``."""
        await self.outbox.flush()
        try:
            answer = await self._client.request_permission(
                session_id=self.session_id, tool_call=question(params), options=list(OPTIONS)
            )
        except (RequestError, ConnectionError) as error:
            logger.warning("No answer to a permission request: %s", error)
            return None
        return decision(answer)

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Show the message; the session's commands are the answers."""
        self.tell("info", message)
        return None

    def tell(self, level: Level, message: str) -> None:
        """Say it in the conversation, as a thought where nothing is wrong."""
        if level == "info":
            self.outbox.put(helpers.update_agent_thought_text(f"{message}\n"))
        else:
            self.say(f"> {level}: {message}\n\n")

    def log(self, message: str) -> None:
        """Write to standard error."""
        logger.info("%s", message)

    def progress_begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show nothing: the client shows that a turn is going on."""

    def progress_report(self, operation_id: str, message: str) -> None:
        """Show nothing."""

    def progress_end(self, operation_id: str) -> None:
        """Show nothing."""

    def _show(self, update: Update | Succeeded) -> None:
        match update:
            case UserMessageChunk():
                pass
            case AgentMessageChunk(content=TextContentBlock(text=text)):
                self._show_answer(text)
            case _:
                self._streamed = self._output = ""
                self.outbox.put(update)

    def _show_answer(self, text: str) -> None:
        """The committed text is the truth: where the stream was not it, it is shown again."""
        seen = len(self._streamed)
        rest = text[seen:] if text.startswith(self._streamed) else f"\n\n{text}"
        self._streamed = ""
        if rest:
            self.outbox.put(helpers.update_agent_message_text(rest))

    async def _send(self, update: Update | Succeeded) -> None:
        if isinstance(update, Succeeded):
            update = await asyncio.to_thread(with_diff, update, self.data)
        await self._client.session_update(session_id=self.session_id, update=update)
