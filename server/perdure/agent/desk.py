"""What lies on the desk: the open session of a folder, or one that is only shown, or nothing.

The desk opens, creates and puts away sessions and starts their loops. It holds no policy: what to
open and whether to go on is said by whoever uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from perdure.agent.allowances import Allowances
from perdure.agent.assembly import Assembly
from perdure.agent.background import Background
from perdure.agent.board import Board, View
from perdure.agent.configuration import Configuration
from perdure.agent.effects import Effects
from perdure.agent.following import Following
from perdure.agent.gauge import ContextGauge
from perdure.agent.host import Host
from perdure.agent.loop import Loop
from perdure.agent.queue import PromptQueue
from perdure.agent.recorded import recorded_configuration
from perdure.agent.session import Outcome, Session
from perdure.agent.sessions import Sessions
from perdure.agent.settings import Settings
from perdure.core.facts import Fact
from perdure.core.plans import Blocked, RecoveryPlan
from perdure.core.records import ConfigurationSnapshot
from perdure.core.recovery import plan_recovery
from perdure.core.state import Idle, SessionState
from perdure.errors import PerdureError, SessionInUse, StoreError
from perdure.json_types import JsonObject
from perdure.store.jsonl import SessionStore
from perdure.store.options import StoreOptions
from perdure.store.places import data_path
from perdure.store.queue_file import QueueFile

DAMAGED_QUEUE = "The prompts that waited in this session cannot be read; what is left is kept in"


class Desk:
    """The session of one folder that is worked on.

    ``placed`` hears of each session that is put on the desk for writing.

    ``reopen`` names the session that could not be written and should be opened again;
    ``in_use`` tells that this is because another process writes it.
    """

    def __init__(
        self,
        *,
        assembly: Assembly,
        sessions: Sessions,
        host: Host,
        settings: Settings,
        options: StoreOptions,
        background: Background,
        placed: Callable[[Session], None],
        run_ended: Callable[[], None],
    ) -> None:
        self.settings = settings
        self.sessions = sessions
        self.session: Session | None = None
        self.queue: PromptQueue | None = None
        self.gauge = ContextGauge()
        self.reopen: Path | None = None
        self.in_use = False
        self.board = Board(folder=assembly.folder, host=host, view=self._view)
        self._assembly = assembly
        self._host = host
        self._options = options
        self._background = background
        self._placed = placed
        self._run_ended = run_ended
        self._following: Following | None = None

    @property
    def state(self) -> SessionState | None:
        """The session's last durable state, or what is shown of one in use elsewhere."""
        if self.session is not None:
            return self.session.state
        return self._following.state if self._following else None

    @property
    def unfinished(self) -> bool:
        """Whether the session has an unfinished operation, running or not."""
        state = self.state
        return state is not None and not isinstance(state.operation, Idle)

    @property
    def running(self) -> bool:
        """Whether a loop works."""
        return self.session is not None and self.session.running

    async def configure(self) -> Configuration:
        """Freeze the configuration of the next loop; not while one runs.

        Raises ``CommandError`` ``provider_not_configured``.
        """
        self.board.configuration = await self._assembly.configuration(self.settings)
        return self.board.configuration

    @property
    def recorded(self) -> ConfigurationSnapshot | None:
        """The configuration of the unfinished operation's step, None before the first one."""
        operation = self.state.operation if self.state else Idle()
        step = None if isinstance(operation, Idle) else operation.step
        return None if step is None else step.configuration_snapshot

    async def configure_as_recorded(self, snapshot: ConfigurationSnapshot) -> Configuration:
        """Do what ``configure`` does, for the next loop alone, with the identity of ``snapshot``.

        Raises ``CommandError`` when that is no longer available.
        """
        data = data_path(self._open_session().store.path)
        self.board.configuration = await recorded_configuration(
            self._assembly, self.settings, snapshot, data
        )
        return self.board.configuration

    async def open(self, path: Path) -> None:
        """Put ``path`` on the desk: writable, or shown with the reason why it is not."""
        await self.put_away()
        try:
            store = await self.sessions.open(path, self._current_options())
        except StoreError as error:
            await self._show(path, error)
            return
        await self._place(store)
        if store.torn_tail is not None:
            self._host.tell("warning", str(store.torn_tail))

    async def create(self, configuration: Configuration) -> None:
        """Put a new session on the desk. Raises ``StoreError``."""
        identity = configuration.provider.identity
        store = await self.sessions.create(identity, self._current_options())
        await self.put_away()
        await self._place(store)

    async def let_go(self, error: SessionInUse) -> None:
        """Suspend the session for another process, and show it as in use there.

        The lock is given up even when the caller is cancelled meanwhile.
        """
        path = self._open_session().store.path
        await asyncio.shield(self.put_away())
        await self._show(path, error)

    async def put_away(self) -> None:
        """Suspend and close whatever lies there."""
        session, self.session = self.session, None
        queue, self.queue = self.queue, None
        following, self._following = self._following, None
        self.gauge = ContextGauge()
        self.reopen = None
        self.in_use = False
        self.board.clear()
        self.board.end_progress()
        if following is not None:
            await following.stop()
        if queue is not None:
            await queue.settle()
        if session is not None:
            await session.suspend()

    def plan(self, configuration: Configuration) -> RecoveryPlan:
        """Plan and show the plan, without doing anything."""
        self.board.clear()
        plan = plan_recovery(self._open_session().state, configuration.current)
        self.board.show_plan(plan)
        return plan

    def go(self, configuration: Configuration | None) -> None:
        """Start the loop under ``configuration``; without one it can only abort."""
        session = self._open_session()
        operation = session.state.operation
        self.board.clear()
        if isinstance(operation, Idle) or session.running:
            return
        session.go(configuration)
        title = "Compacting" if operation.kind == "compaction" else "Working"
        self.board.begin_progress(operation.operation_id, title, self._cancelled)
        if configuration is None:
            self.board.publish()
        else:
            self.board.show_plan(plan_recovery(session.state, configuration.current))

    async def abort(self) -> Outcome:
        """Abort what is unfinished. Raises ``StoreError`` when that cannot be recorded."""
        return await self._open_session().abort()

    def _open_session(self) -> Session:
        if self.session is None:
            raise LookupError("no session is open for writing")
        return self.session

    def _current_options(self) -> StoreOptions:
        return replace(self._options, level=self.settings.durability)

    async def _place(self, store: SessionStore) -> None:
        allowances = Allowances(self.sessions.directory / "allowances.json")

        def make_loop(configuration: Configuration | None, effects: Effects) -> Loop:
            return self._assembly.loop(
                store=store,
                configuration=configuration,
                settings=self.settings,
                allowances=allowances,
                approvals=self.board.approvals,
                effects=effects,
                planned=self.board.show_plan,
                attached=self.board.show_attached,
            )

        def committed(facts: Sequence[Fact]) -> None:
            self.gauge.observe(facts)
            wire = [cast("JsonObject", dict(fact)) for fact in facts]
            self._host.committed({"sessionId": store.state.header.id, "facts": wire})
            self.board.publish()

        last_run, gauge = await self.sessions.past_of(store)
        session = Session(
            store=store,
            last_run=last_run,
            make_loop=make_loop,
            ended=self._loop_ended,
        )
        self.session = session
        self.gauge = gauge
        store.subscribe(committed)
        self._assembly.watch(store, self.settings)
        self.board.clear()
        self._placed(session)
        queue = await self._queue_of(store)
        if self.session is session:
            self.queue = queue
            self.board.publish()

    async def _queue_of(self, store: SessionStore) -> PromptQueue | None:
        """Read the prompts that wait; what cannot be read is told, and opening goes on."""
        queue = PromptQueue(QueueFile(store.path, self._current_options()), self.board.publish)
        try:
            set_aside = await queue.load(store.has_entry)
        except StoreError as error:
            self._host.tell("error", f"The prompts that wait in this session: {error}")
            return None
        if set_aside is not None:
            self._host.tell("warning", f"{DAMAGED_QUEUE} {set_aside}.")
        return queue

    async def _show(self, path: Path, error: StoreError) -> None:
        self.reopen = path
        self.in_use = isinstance(error, SessionInUse)
        self._following = Following(path, self.sessions, self.board.publish)
        await self._following.start(follow=self.in_use)
        self.board.show_unavailable(error)

    def _loop_ended(self, ending: Blocked | Exception | None) -> None:
        if self.session is None:
            return
        self.board.clear()
        self.board.end_progress()
        match ending:
            case Blocked():
                self.board.show_plan(ending)
            case PerdureError():
                self.reopen = self.session.store.path if isinstance(ending, StoreError) else None
                self.board.show_unavailable(ending)
            case Exception():
                self._host.log(f"The loop ended unexpectedly: {ending!r}")
                sentence = f"An internal error stopped the work: {ending}"
                self.board.show_unavailable(PerdureError(sentence))
            case None:
                self._run_ended()
        self.board.publish()

    def _cancelled(self) -> None:
        async def abort() -> None:
            await self.abort()

        self._background.start(abort())

    def _view(self) -> View:
        model = self.settings.model
        return View(
            state=self.state,
            running=self.running,
            failed=self.session.last_run.failed if self.session else None,
            context_tokens=self.gauge.tokens,
            fallback_model={"provider": model.provider, "name": model.name},
            queue=self.queue.items if self.queue else (),
            data=data_path(self.session.store.path) if self.session else None,
            mcp=self._assembly.mcp,
        )
