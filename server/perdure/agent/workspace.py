"""The workspace agent: the commands of one folder.

States of a folder: no session, idle, running (a loop works), waiting for approval, suspended
(unfinished, nobody works), blocked (the planner says so), unavailable (the shell says so). All of
them are derived from what lies on the desk; none is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from perdure.agent.access import Access
from perdure.agent.assembly import Assembly
from perdure.agent.background import Background
from perdure.agent.buffers import files_of
from perdure.agent.chosen_tools import directories_of
from perdure.agent.compacting import Compacting
from perdure.agent.context.prompt_context import PromptContext
from perdure.agent.continuing import Continuing
from perdure.agent.desk import Desk
from perdure.agent.folder import Folder
from perdure.agent.host import Host
from perdure.agent.keys import Keys
from perdure.agent.parts import Parts
from perdure.agent.prompting import Prompting
from perdure.agent.queue_commands import QueueCommands
from perdure.agent.queue_handover import HandOver
from perdure.agent.remedies import Remedies
from perdure.agent.reopening import Reopening
from perdure.agent.session import Session
from perdure.agent.session_admin import SessionAdmin
from perdure.agent.sessions import Sessions
from perdure.agent.settings import Settings
from perdure.agent.takeover import TakeOver
from perdure.agent.transcripts import Transcripts
from perdure.agent.undo_commands import UndoCommands
from perdure.core.masking import masked
from perdure.core.state import Idle
from perdure.protocol.approvals import ApproveResult
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
from perdure.protocol.status import ModelsResult, Status
from perdure.store.options import StoreOptions, system_options
from perdure.store.places import canonical_path, environment_identity

WAIT_SECONDS = 600


class WorkspaceAgent:
    """One per workspace folder; lives on the event loop that starts it.

    With ``starts_queued`` False, prompts that wait go on waiting.
    """

    def __init__(
        self,
        *,
        folder_uri: str,
        root: Path,
        settings: Settings,
        host: Host,
        environ: Mapping[str, str],
        starts_queued: bool = True,
    ) -> None:
        folder = Folder(folder_uri, canonical_path(root), environment_identity(root, environ))
        options = system_options(level=settings.durability)
        self._background = Background(host.log)
        self._commands = asyncio.Lock()
        self._going_on: asyncio.Task[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self._assembly = Assembly(folder=folder, host=host, environ=environ, new_id=options.new_id)
        self._desk = Desk(
            assembly=self._assembly,
            sessions=Sessions(folder=folder, environ=environ, sessions_dir=settings.sessions_dir),
            host=host,
            settings=settings,
            options=options,
            background=self._background,
            placed=self._placed,
            run_ended=self._run_ended,
        )
        parts = self._parts(folder, host, options, starts_queued=starts_queued)
        self._hand_over = parts.hand_over
        self._reopening = parts.reopening
        self._access = parts.access
        self._compacting = Compacting(desk=self._desk, host=host, new_id=options.new_id)
        self.continuing = Continuing(parts, self._compacting)
        self.transcripts = Transcripts(self._desk)
        self.remedies = Remedies(parts)
        self.taking_over = TakeOver(parts)
        self.queue = QueueCommands(parts)
        self._prompting = Prompting(parts, self.queue)
        self.undoing = UndoCommands(parts)
        self.admin = SessionAdmin(parts)

    async def start(self) -> None:
        """Open the newest session, plan, publish, and go on as the setting ``resume`` says."""
        async with self._commands:
            newest = await self._desk.sessions.newest()
            if newest is not None:
                await self._desk.open(newest)
            await self._reopening.opened()

    def configure(self, settings: Settings) -> None:
        """Take new settings; they take effect with the next run."""
        self._desk.settings = settings
        self._desk.board.publish()

    async def close(self) -> None:
        """Suspend: stop effects, commit nothing, release the lock. Idempotent."""
        await self._background.stop()
        await self._desk.put_away()
        await self._assembly.close()

    def status(self) -> Status:
        """Return the folder's state now."""
        return self._desk.board.status()

    async def prompt(self, arguments: PromptArguments) -> PromptResult:
        """Accept a prompt; returns once it is durable, before the model is called."""
        return await self._prompting.accept(arguments)

    async def complete(self, arguments: CompleteArguments) -> CompleteResult:
        """Complete the path of a mention."""
        return await self._prompting.complete(arguments)

    async def compact(self, arguments: SessionArguments) -> CompactResult:
        """Accept a compaction, if there is something to compact."""
        async with self._commands:
            await self._access.make_writable(go_on=True)
            await self._access.open(arguments.get("sessionId"))
            self._access.require_finished()
            return await self._compacting.start()

    async def abort(self, arguments: AbortArguments) -> AbortResult:
        """End the unfinished operation durably; harmless when there is none."""
        if self._desk.reopen is not None or not self._access.is_open(arguments.get("sessionId")):
            async with self._commands:
                await self._access.make_writable(go_on=False)
                await self._access.open(arguments.get("sessionId"))
        session = self._desk.session
        if session is None:
            return {"outcome": "idle"}
        wanted = arguments.get("operationId")
        finished = session.finished
        if finished is not None and finished.operation_id == wanted:
            return {"outcome": finished.outcome, "operationId": finished.operation_id}
        operation = session.state.operation
        if isinstance(operation, Idle) or wanted not in (None, operation.operation_id):
            return {"outcome": "idle"}
        outcome = await self._desk.abort()
        return {"outcome": outcome, "operationId": operation.operation_id}

    async def resume(self, arguments: SessionArguments) -> ResumeResult:
        """Go on with an unfinished operation, unless the plan is blocked."""
        async with self._commands:
            await self._access.make_writable(go_on=False)
            await self._access.open(arguments.get("sessionId"))
            return await self._reopening.resume()

    async def models(self) -> ModelsResult:
        """List what the endpoint of the present settings offers."""
        return await self._assembly.models(self._desk.settings)

    async def sessions(self) -> SessionsResult:
        """List the folder's sessions, newest first."""
        return {"sessions": await self._desk.sessions.infos()}

    async def open_session(self, arguments: OpenSessionArguments) -> Status:
        """Open another session of this folder, and do what reopening does."""
        async with self._commands:
            await self._access.make_free()
            if not self._access.is_open(arguments["sessionId"]):
                await self._access.open(arguments["sessionId"])
                await self._reopening.opened()
            return self.status()

    async def new_session(self) -> Status:
        """Start an empty session."""
        async with self._commands:
            await self._access.make_free()
            self._access.require_finished()
            await self._desk.create(await self._desk.configure())
            return self.status()

    async def wait(self, arguments: WaitArguments) -> Status:
        """Return as soon as nothing runs, or after ``timeoutSeconds``.

        What starts by itself after a run, such as a prompt that waits, is waited for as well.
        """
        try:
            async with asyncio.timeout(arguments.get("timeoutSeconds", WAIT_SECONDS)):
                while True:
                    if self.status()["state"] == "running":
                        await self._desk.board.next_change()
                    elif self._going_on is not None and not self._going_on.done():
                        await asyncio.wait({self._going_on})
                    else:
                        break
        except TimeoutError:
            pass
        return self.status()

    async def approve(self, arguments: ApproveArguments) -> Status:
        """Answer a pending approval. Raises ``CommandError`` ``not_pending``."""
        answer: ApproveResult = {"decision": arguments["decision"]}
        if "message" in arguments:
            answer["message"] = arguments["message"]
        self._desk.board.approvals.answer(arguments["approvalId"], answer)
        return self.status()

    def _keys(self) -> Keys:
        return self._assembly.keys(self._desk.settings)

    def _clean(self, quoted: str) -> str:
        """Return context without keys, and with masks where the user wants them."""
        text = self._keys().without(quoted)
        return masked(text) if self._desk.settings.mask_secrets else text

    def _placed(self, session: Session) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self._background.start(self.taking_over.watch(session))

    def _run_ended(self) -> None:
        self._going_on = self._background.start(self._go_on())

    async def _go_on(self) -> None:
        """Start what starts by itself after a run or compaction, one thing at most."""
        async with self._commands:
            await self.continuing.go_on()
            await self._compacting.start_when_nearly_full()
            await self._hand_over.go_on()

    def _parts(
        self, folder: Folder, host: Host, options: StoreOptions, *, starts_queued: bool
    ) -> Parts:
        context = PromptContext(
            root=folder.root,
            files_for=files_of(host),
            tell=lambda sentence: host.tell("warning", sentence),
            clean=self._clean,
            instructed=lambda: self._desk.settings.trusted,
            directories=lambda: directories_of(self._desk.settings),
        )
        hand_over = HandOver(
            desk=self._desk,
            host=host,
            context=context,
            identity=folder.environment_identity,
            new_id=options.new_id,
            enabled=starts_queued,
        )
        reopening = Reopening(
            desk=self._desk,
            host=host,
            hand_over=hand_over,
            background=self._background,
            now=options.now,
        )
        return Parts(
            commands=self._commands,
            folder=folder,
            host=host,
            options=options,
            desk=self._desk,
            access=Access(folder=folder, desk=self._desk, reopening=reopening, options=options),
            reopening=reopening,
            hand_over=hand_over,
            context=context,
            keys=self._keys,
        )
