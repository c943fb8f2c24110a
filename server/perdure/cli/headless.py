"""One prompt without an editor: finish what is unfinished, send it, wait for its end."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perdure.agent.refusals import Busy
from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.cli.console import Console
from perdure.cli.exit_codes import BLOCKED, FAILED, INTERRUPTED, OK, UNAVAILABLE
from perdure.cli.run_host import TerminalHost
from perdure.cli.run_view import WORKING, explanation
from perdure.cli.terminal import Terminal
from perdure.errors import CommandError
from perdure.protocol.prompts import PromptArguments
from perdure.protocol.status import Status

ABORTED_BY = "`perdure session abort {id}` aborts it without a model."
_OUTCOMES: Mapping[str, int] = {"completed": OK, "failed": FAILED, "aborted": INTERRUPTED}


def agent_of(root: Path, settings: Settings, host: TerminalHost) -> WorkspaceAgent:
    """Return the agent of a folder, which starts no prompt by itself that waits there."""
    return WorkspaceAgent(
        folder_uri=root.as_uri(),
        root=root,
        settings=settings,
        host=host,
        environ=os.environ,
        starts_queued=False,
    )


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    text: str
    session_id: str | None
    new_session: bool


class Headless:
    """Conducts an agent; ``terminal`` is None where nobody can be asked."""

    def __init__(
        self,
        *,
        agent: WorkspaceAgent,
        host: TerminalHost,
        console: Console,
        terminal: Terminal | None,
    ) -> None:
        self._agent = agent
        self._host = host
        self._console = console
        self._terminal = terminal
        self._operation_id: str | None = None
        # Held while a prompt is accepted, and from an interrupt on.
        self._accepting = asyncio.Lock()

    async def run(self, request: Request) -> int:
        """Return the exit code. Raises ``PerdureError`` when the prompt cannot be accepted."""
        if request.session_id is None:
            await self._agent.start()
        else:
            await self._agent.open_session({"sessionId": request.session_id})
        went_on = False
        while self._operation_id is None:
            status = await self._settled()
            if status["state"] in ("suspended", "blocked"):
                if not await self._decide(status):
                    return BLOCKED if status["state"] == "blocked" else UNAVAILABLE
            elif went_on and status["state"] == "unavailable":
                self._explain(status)
                return UNAVAILABLE
            else:
                await self._accept(request)
                went_on = True
        status = await self._settled()
        outcome = self._host.outcomes.get(self._operation_id)
        if outcome is None:
            self._explain(status)
            return BLOCKED if status["state"] == "blocked" else UNAVAILABLE
        if status["state"] == "idle":
            await self._finish_compaction()
        return _OUTCOMES[outcome]

    async def interrupt(self) -> int:
        """Abort durably; return the exit code. Raises ``StoreError`` when that is impossible."""
        await self._accepting.acquire()
        result = await self._agent.abort({})
        if self._operation_id is not None and result.get("operationId") == self._operation_id:
            return _OUTCOMES.get(result["outcome"], INTERRUPTED)
        return INTERRUPTED

    async def _settled(self) -> Status:
        """Wait until nothing works any more."""
        while (status := self._agent.status())["state"] in WORKING:
            await self._host.next_change()
        return status

    async def _accept(self, request: Request) -> None:
        """Send the prompt; where unfinished work has just gone on, it is sent after that."""
        arguments: PromptArguments = {"text": request.text, "newSession": request.new_session}
        if request.session_id is not None:
            arguments["sessionId"] = request.session_id
        async with self._accepting:
            try:
                result = await self._agent.prompt(arguments)
            except Busy as busy:
                if busy.status["state"] not in WORKING:
                    self._explain(busy.status)
                    hint = ABORTED_BY.format(id=busy.status["sessionId"])
                    raise CommandError(f"{busy} {hint}", code=busy.code) from busy
                return
            self._operation_id = result["operationId"]

    async def _decide(self, status: Status) -> bool:
        """Have the user decide about unfinished work; False when it stays as it is."""
        self._explain(status)
        if self._terminal is None:
            self._console.err("In a terminal, perdure run asks what to do about it.")
            self._console.err(ABORTED_BY.format(id=status["sessionId"]))
            return False
        choices = {"a": "abort it", "q": "quit"}
        if status["state"] == "suspended":
            choices = {"r": "resume it", **choices}
        choice = await self._terminal.choose("What should be done?", choices)
        if choice == "r":
            await self._agent.resume({})
        elif choice == "a":
            await self._agent.abort({})
        return choice in ("r", "a")

    def _explain(self, status: Status) -> None:
        self._console.err(f"Session {status['sessionId']} is {status['state']}.")
        if status["blocked"] is not None:
            for line in explanation(status["blocked"]):
                self._console.err(line)

    async def _finish_compaction(self) -> None:
        """Wait for a compaction between two runs: it is decided before a later command's turn."""
        await self._agent.resume({})
        await self._settled()
