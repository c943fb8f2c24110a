"""The real server around an agent without sessions, models or tools: for tests of the transport.

What the agent does is the word that it is prompted with; see the methods of ``_Deeds``. It notes
what happened to it, one word a line, in ``notes.txt`` of its folder.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from perdure.agent.host import Host
from perdure.agent.settings import Settings
from perdure.agent.transcript import Document
from perdure.cli.serve import run
from perdure.errors import CommandError, SessionNotFound
from perdure.protocol.types import (
    AbortArguments,
    AbortResult,
    ApproveArguments,
    ApproveParams,
    BlockedInfo,
    CompactResult,
    CompleteArguments,
    CompleteResult,
    DeltaParams,
    ModelsResult,
    OpenSessionArguments,
    PromptArguments,
    PromptResult,
    ResumeResult,
    SessionArguments,
    SessionsResult,
    State,
    Status,
    WaitArguments,
)

if TYPE_CHECKING:
    from perdure.agent.continuing import Continuing
    from perdure.agent.queue_commands import QueueCommands
    from perdure.agent.remedies import Remedies
    from perdure.agent.session_admin import SessionAdmin
    from perdure.agent.takeover import TakeOver
    from perdure.agent.undo_commands import UndoCommands

SESSION = "s1"

BLOCKED: BlockedInfo = {
    "code": "configuration_changed",
    "title": "The configuration is another one",
    "details": [{"field": "model", "recorded": "a", "current": "b"}],
    "actions": [{"title": "Abort", "command": "perdure.abort", "arguments": [{}]}],
}

APPROVAL: ApproveParams = {
    "approvalId": "e1:0",
    "sessionId": SESSION,
    "toolCallId": "c1",
    "toolName": "bash",
    "arguments": {"command": "make", "jsonrpc": "2.0"},
    "title": "Run a command",
    "preview": {"command": "make all"},
}


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
        self._deeds = _Deeds(self)
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


class _Deeds:
    """What an agent can be told to do."""

    def __init__(self, agent: TrivialAgent) -> None:
        self._agent = agent
        self._host = agent.host

    async def sleep(self, seconds: str) -> None:
        self._agent.note("begin")
        await asyncio.sleep(float(seconds))
        self._agent.note("end")

    async def note(self, text: str) -> None:
        self._agent.note(f"noted {text}")

    async def print(self, _: str) -> None:
        """Print, and let a child print and read its standard input."""
        print("printed by Python")
        read = subprocess.run(  # noqa: ASYNC221
            ["/bin/sh", "-c", "echo printed by a child; cat | wc -c >&2; cat >/dev/null"],
            check=True,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._agent.note(f"child read {read.stderr.strip()}")

    async def thread(self, _: str) -> None:
        """Leave a thread behind that does not end."""
        asyncio.get_running_loop().run_in_executor(None, time.sleep, 1000)
        self._agent.note("thread")

    async def deltas(self, count: str) -> None:
        for number in range(int(count)):
            self._host.delta(_delta(f"{number} "))
            await asyncio.sleep(0.0002)

    async def flood(self, count: str) -> None:
        """Publish ``count`` facts of 100 kB, each after a delta as large and a status."""
        for number in range(int(count)):
            self._host.delta(_delta("d" * 100_000))
            self._host.committed(
                {"sessionId": SESSION, "facts": [{"seq": number, "text": "f" * 100_000}]}
            )
            self._agent.publish()
            await asyncio.sleep(0)
        self._agent.note("flooded")

    async def ask(self, _: str) -> None:
        self._agent.note(f"approval {await self._host.ask_approval(APPROVAL)}")

    async def give_up_asking(self, _: str) -> None:
        try:
            async with asyncio.timeout(0.2):
                await self._host.ask_approval(APPROVAL)
        except TimeoutError:
            self._agent.note("gave up")

    async def block(self, _: str) -> None:
        self._agent.state, self._agent.blocked = "blocked", BLOCKED
        self._agent.publish()

    async def unblock(self, _: str) -> None:
        self._agent.state, self._agent.blocked = "idle", None
        self._agent.publish()

    async def progress(self, _: str) -> None:
        cancelled = asyncio.Event()
        self._host.progress_begin("o1", "Working", cancelled.set)
        await cancelled.wait()
        self._host.progress_report("o1", "cancelling")
        self._host.progress_end("o1")

    async def tell(self, text: str) -> None:
        self._host.tell("info", text)


def _delta(text: str) -> DeltaParams:
    return {
        "sessionId": SESSION,
        "operationId": "o1",
        "stepId": "p1",
        "kind": "text",
        "text": text,
    }


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], agent_factory=TrivialAgent))
