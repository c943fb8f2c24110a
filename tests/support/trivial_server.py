"""The real server around an agent without sessions, models or tools: for tests of the transport.

What the agent does is the word that it is prompted with; see the methods of ``Deeds``. It notes
what happened to it, one word a line, in ``notes.txt`` of its folder.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.trivial_deeds import SESSION, Deeds

from perdure.agent.host import Host
from perdure.agent.settings import Settings
from perdure.agent.transcript import Document
from perdure.cli.serve import run
from perdure.errors import CommandError, SessionNotFound
from perdure.protocol.operations import (
    AbortArguments,
    AbortResult,
    ApproveArguments,
    CompactResult,
    OpenSessionArguments,
    ResumeResult,
    SessionArguments,
    WaitArguments,
)
from perdure.protocol.prompts import (
    CompleteArguments,
    CompleteResult,
    PromptArguments,
    PromptResult,
)
from perdure.protocol.sessions import SessionsResult
from perdure.protocol.status import ModelsResult, State, Status
from perdure.protocol.trouble import BlockedInfo

if TYPE_CHECKING:
    from perdure.agent.continuing import Continuing
    from perdure.agent.queue_commands import QueueCommands
    from perdure.agent.remedies import Remedies
    from perdure.agent.session_admin import SessionAdmin
    from perdure.agent.takeover import TakeOver
    from perdure.agent.undo_commands import UndoCommands


class NoTranscripts:
    """The session documents of an agent without sessions."""

    async def document(self, session_id: str) -> Document:
        raise SessionNotFound(session_id)

    async def path(self, session_id: str) -> Path:
        raise SessionNotFound(session_id)

    async def revision(self, _: str) -> None:
        return None


class TrivialAgent:
    """An agent that does what single words say."""

    def __init__(
        self,
        *,
        folder_uri: str,
        root: Path,
        settings: Settings,
        host: Host,
        environ: Mapping[str, str],
    ) -> None:
        self.host = host
        self._root = root
        self._folder_uri = folder_uri
        self._start_seconds = float(environ.get("TRIVIAL_START", "0"))
        self._close_seconds = float(environ.get("TRIVIAL_CLOSE", "0"))
        self.state: State = "idle"
        self.blocked: BlockedInfo | None = None
        self.transcripts = NoTranscripts()
        self._deeds = Deeds(self)
        self.note(f"settings {settings.model.name}")

    def note(self, text: str) -> None:
        with (self._root / "notes.txt").open("a") as notes:
            notes.write(f"{text}\n")

    async def start(self) -> None:
        await asyncio.sleep(self._start_seconds)
        self.note("started")
        self.publish()

    def status(self) -> Status:
        return {
            "workspaceFolder": self._folder_uri,
            "environmentIdentity": str(self._root),
            "sessionId": SESSION,
            "state": self.state,
            "operation": None,
            "plan": None,
            "blocked": self.blocked,
            "approval": None,
            "usage": {
                "input": 0,
                "output": 0,
                "cacheRead": 0,
                "cacheWrite": 0,
                "contextTokens": None,
                "contextWindow": None,
                "cost": None,
            },
            "model": {"provider": "demo", "name": "trivial"},
            "queue": [],
        }

    @property
    def taking_over(self) -> TakeOver:
        raise LookupError("the trivial agent has no session to take over")

    def publish(self) -> None:
        self.host.status_changed(self.status())

    @property
    def queue(self) -> QueueCommands:
        raise LookupError("the trivial agent has no queue")

    @property
    def continuing(self) -> Continuing:
        raise LookupError("the trivial agent never fails")

    @property
    def remedies(self) -> Remedies:
        raise LookupError("the trivial agent is never blocked")

    @property
    def undoing(self) -> UndoCommands:
        raise LookupError("the trivial agent changes nothing")

    @property
    def admin(self) -> SessionAdmin:
        raise LookupError("the trivial agent has no sessions")

    async def prompt(self, arguments: PromptArguments) -> PromptResult:
        word, _, rest = arguments["text"].partition(" ")
        await getattr(self._deeds, word)(rest)
        return {"sessionId": SESSION, "operationId": "o1"}

    async def abort(self, arguments: AbortArguments) -> AbortResult:
        self.note(f"abort {arguments.get('reason', '')}".strip())
        return {"outcome": "idle"}

    async def compact(self, arguments: SessionArguments) -> CompactResult:
        raise AssertionError("a fault of the program")

    async def resume(self, arguments: SessionArguments) -> ResumeResult:
        error = CommandError("Another operation is unfinished.", code="busy")
        error.status = self.status()  # type: ignore[attr-defined]
        raise error

    async def models(self) -> ModelsResult:
        return {"endpoint": "trivial", "models": []}

    async def sessions(self) -> SessionsResult:
        return {"sessions": []}

    async def open_session(self, arguments: OpenSessionArguments) -> Status:
        return self.status()

    async def new_session(self) -> Status:
        return self.status()

    async def wait(self, arguments: WaitArguments) -> Status:
        try:
            await asyncio.sleep(arguments.get("timeoutSeconds", 600))
        except asyncio.CancelledError:
            self.note("wait cancelled")
            raise
        return self.status()

    async def complete(self, arguments: CompleteArguments) -> CompleteResult:
        return {"paths": [arguments["prefix"]]}

    async def approve(self, arguments: ApproveArguments) -> Status:
        return self.status()

    def configure(self, settings: Settings) -> None:
        self.note(f"configured {settings.model.name}")

    async def close(self) -> None:
        await asyncio.sleep(self._close_seconds)
        self.note("closed")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], agent_factory=TrivialAgent))
