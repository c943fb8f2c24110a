"""One session of a client: an agent of its own, with one session on its desk."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from acp import helpers
from acp.exceptions import RequestError
from acp.schema import AvailableCommand, StopReason

from perdure.acp.content import Content
from perdure.acp.host import ClientHost
from perdure.agent.refusals import Busy
from perdure.agent.session_facts import session_facts
from perdure.agent.settings import Settings
from perdure.agent.workspace import WorkspaceAgent
from perdure.core.facts import Fact
from perdure.core.records import OperationFinished
from perdure.errors import PerdureError
from perdure.protocol.prompts import PromptArguments
from perdure.protocol.sessions import SessionInfo
from perdure.protocol.status import Status
from perdure.store.follow import inspect
from perdure.store.places import data_path
from perdure.store.repair import corruption_error
from perdure.store.verdict import Damaged

COMMANDS: Mapping[str, str] = {
    "resume": "Go on with unfinished work",
    "resume-recorded": "Go on with it under the configuration that it was begun with",
    "abort": "Give up unfinished work",
    "compact": "Summarise the conversation so far",
}
_WORKING = ("running", "waitingForApproval")


class AcpSession:
    """Conducts the agent of one session; ``new`` or ``load`` first."""

    def __init__(
        self, *, root: Path, settings: Settings, host: ClientHost, environ: Mapping[str, str]
    ) -> None:
        self.root = root
        self._host = host
        self._closed = asyncio.Event()
        self._cancelled = False
        # Held while a prompt is accepted, and while one is cancelled.
        self._accepting = asyncio.Lock()
        self._agent = WorkspaceAgent(
            folder_uri=root.as_uri(),
            root=root,
            settings=settings,
            host=host,
            environ=environ,
            starts_queued=False,
        )

    async def new(self) -> str:
        """Create a session; return its id. Raises ``PerdureError``."""
        status = await self._agent.new_session()
        return await self._opened(status)

    async def load(self, session_id: str, *, replay: bool) -> None:
        """Open a session and do what reopening does; ``replay`` shows first what happened before.

        Raises ``PerdureError`` where it cannot be opened for writing.
        """
        path = await self._agent.transcripts.path(session_id)
        self._host.session_id, self._host.data = session_id, data_path(path)
        self._host.catch_up(await asyncio.to_thread(_facts_in, path), show=replay)
        status = await self._agent.open_session({"sessionId": session_id})
        await self._opened(status)
        if status["state"] in ("suspended", "blocked"):
            self._host.say(_standing_still(status))
        elif status["state"] == "unavailable":
            raise _unavailable(status)
        await self._host.outbox.flush()

    async def sessions(self) -> Sequence[SessionInfo]:
        """Return the sessions of the folder, newest first."""
        return (await self._agent.sessions())["sessions"]

    async def prompt(self, content: Content) -> StopReason:
        """Send a prompt and wait for its end; unfinished work that goes on is waited for first.

        Raises ``PerdureError``, and ``RequestError`` where the run has failed.
        """
        self._cancelled = False
        name = content.text.strip().removeprefix("/")
        if content.text.startswith("/") and name in COMMANDS:
            return await self._command(name)
        operation_id: str | None = None
        while operation_id is None:
            status = await self._settled()
            if self._cancelled:
                return "cancelled"
            if status["state"] in ("suspended", "blocked"):
                raise PerdureError(_standing_still(status), code="busy")
            operation_id = await self._accept(content)
        return await self._ended(operation_id)

    async def cancel(self) -> None:
        """Abort durably whatever is unfinished."""
        self._cancelled = True
        async with self._accepting:
            await self._agent.abort({})

    async def close(self) -> None:
        """Suspend; a turn that is under way ends with an error."""
        self._closed.set()
        await self._agent.close()
        await self._host.outbox.close()

    async def _opened(self, status: Status) -> str:
        session_id = status["sessionId"]
        if session_id is None:
            raise PerdureError("The session could not be opened.")
        self._host.session_id = session_id
        self._host.data = data_path(await self._agent.transcripts.path(session_id))
        commands = [AvailableCommand(name=name, description=it) for name, it in COMMANDS.items()]
        self._host.outbox.put(helpers.update_available_commands(commands))
        return session_id

    async def _accept(self, content: Content) -> str | None:
        """Send the prompt; None where other work has just begun."""
        async with self._accepting:
            if self._cancelled:
                return None
            try:
                arguments: PromptArguments = {
                    "text": content.text,
                    "attachments": content.attachments,
                    "sessionId": self._host.session_id,
                }
                return (await self._agent.prompt(arguments))["operationId"]
            except Busy as busy:
                if busy.status["state"] not in _WORKING:
                    raise
                return None

    async def _command(self, name: str) -> StopReason:
        match name:
            case "resume":
                await self._agent.resume({})
            case "resume-recorded":
                await self._agent.remedies.resume_recorded({})
            case "abort":
                await self._agent.abort({})
            case _:
                await self._agent.compact({})
        status = await self._settled()
        if status["state"] in ("suspended", "blocked"):
            self._host.say(_standing_still(status))
        await self._host.outbox.flush()
        return "cancelled" if self._cancelled else "end_turn"

    async def _ended(self, operation_id: str) -> StopReason:
        status = await self._settled()
        await self._host.outbox.flush()
        record = self._host.finished.get(operation_id)
        if record is None:
            raise _unavailable(status)
        return _stop_reason(record)

    async def _settled(self) -> Status:
        """Wait until nothing works any more."""
        while (status := self._agent.status())["state"] in _WORKING:
            change = asyncio.create_task(self._host.next_change())
            closed = asyncio.create_task(self._closed.wait())
            await asyncio.wait({change, closed}, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            closed.cancel()
            if self._closed.is_set():
                raise PerdureError("The session was closed.", code="session_closed")
        return status


def _facts_in(path: Path) -> list[Fact]:
    """Read the committed facts of a session; blocks. Raises ``StoreError``."""
    data, verdict = inspect(path)
    if isinstance(verdict, Damaged):
        raise corruption_error(path, data, verdict)
    return session_facts(data)


def _unavailable(status: Status) -> PerdureError:
    blocked = status["blocked"]
    if blocked is None:
        return PerdureError("The session cannot be used.")
    return PerdureError(f"{blocked['title']}.", code=blocked["code"])


def _stop_reason(record: OperationFinished) -> StopReason:
    match record["outcome"]:
        case "completed":
            return "max_tokens" if record.get("completion") == "truncated" else "end_turn"
        case "aborted":
            return "cancelled"
        case "failed":
            error = record.get("error", {"code": "failed", "message": "The run has failed."})
            raise RequestError(-32603, error["message"], {"code": error["code"]})


def _standing_still(status: Status) -> str:
    """Say why nothing goes on, and what can be done."""
    blocked = status["blocked"]
    title = "This session has unfinished work." if blocked is None else f"{blocked['title']}."
    details = [] if blocked is None else blocked["details"]
    lines = [f"- {it['field']}: recorded {it['recorded']}, now {it['current']}" for it in details]
    ways = ["/resume to go on"]
    if blocked is not None and blocked["code"] == "configuration_changed":
        ways.append("/resume-recorded to go on as it was begun")
    return "\n".join([title, *lines, "", f"Send {', '.join(ways)}, or /abort to give it up.", ""])
