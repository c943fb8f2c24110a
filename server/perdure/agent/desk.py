"""What lies on the desk: the open session of a folder, and why it may stand still.

The desk opens, creates and puts away sessions, starts their loops, and publishes the status with
every change. It holds no policy: what to open and whether to go on is said by whoever uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from perdure.agent import problems, status
from perdure.agent.allowances import Allowances
from perdure.agent.approvals import Approvals
from perdure.agent.assembly import Assembly
from perdure.agent.background import Background
from perdure.agent.configuration import Configuration
from perdure.agent.effects import Effects
from perdure.agent.following import Following
from perdure.agent.gauge import ContextGauge
from perdure.agent.host import Host
from perdure.agent.loop import Loop
from perdure.agent.session import Outcome, Session
from perdure.agent.sessions import Sessions
from perdure.agent.settings import Settings
from perdure.core.facts import Fact
from perdure.core.plans import Blocked, RecoveryPlan
from perdure.core.recovery import plan_recovery
from perdure.core.state import Idle, SessionState
from perdure.errors import PerdureError, SessionInUse, StoreError
from perdure.json_types import JsonObject
from perdure.protocol.types import BlockedInfo, ModelInfo, Status
from perdure.store.jsonl import SessionStore
from perdure.store.options import StoreOptions


class Desk:
    """The session of one folder that is worked on, or shown, or nothing."""

    def __init__(
        self,
        *,
        assembly: Assembly,
        sessions: Sessions,
        host: Host,
        settings: Settings,
        options: StoreOptions,
        background: Background,
        run_ended: Callable[[], None],
    ) -> None:
        self.settings = settings
        self.sessions = sessions
        self.session: Session | None = None
        self.gauge = ContextGauge()
        self.approvals = Approvals(host, self.publish)
        self.reopen: Path | None = None
        self._assembly = assembly
        self._host = host
        self._options = options
        self._background = background
        self._run_ended = run_ended
        self._following: Following | None = None
        self._plan: RecoveryPlan | None = None
        self._problem: BlockedInfo | None = None
        self._unavailable = False
        self._configuration: Configuration | None = None
        self._in_progress: str | None = None
        self._published: Status | None = None
        self._changed = asyncio.Event()

    @property
    def state(self) -> SessionState | None:
        """The session's last durable state, or what is shown of one in use elsewhere."""
        if self.session is not None:
            return self.session.state
        return self._following.state if self._following else None

    @property
    def suspended(self) -> bool:
        """Whether an operation is unfinished and nothing works on it."""
        session = self.session
        return (
            session is not None
            and not session.running
            and not isinstance(session.state.operation, Idle)
        )

    async def configure(self) -> Configuration:
        """Freeze the configuration of the next loop. Raises ``CommandError``."""
        self._configuration = await self._assembly.configuration(self.settings)
        return self._configuration

    async def open(self, path: Path) -> None:
        """Put ``path`` on the desk: writable, or shown with the reason why it is not."""
        await self.put_away()
        try:
            store = await self.sessions.open(path, self._options)
        except StoreError as error:
            await self._show(path, error)
            return
        self._place(store)
        if store.torn_tail is not None:
            self._host.tell("warning", str(store.torn_tail))

    async def create(self, configuration: Configuration) -> None:
        """Put a new session on the desk. Raises ``StoreError``."""
        store = await self.sessions.create(configuration.provider.identity, self._options)
        await self.put_away()
        self._place(store)

    async def put_away(self) -> None:
        """Suspend and close whatever lies there."""
        if self._following is not None:
            await self._following.stop()
        session, self.session = self.session, None
        self._following = None
        self.reopen = None
        self._clear()
        if session is not None:
            await session.suspend()

    def plan(self, configuration: Configuration) -> RecoveryPlan:
        """Plan without doing anything; a blocked plan becomes the folder's problem."""
        session = self._open_session()
        self._clear()
        self._plan = plan_recovery(session.state, configuration.current)
        if isinstance(self._plan, Blocked):
            self._block(self._plan, session.state, configuration)
        self.publish()
        return self._plan

    def go(self, configuration: Configuration | None) -> None:
        """Start the loop under ``configuration``; without one it can only abort."""
        session = self._open_session()
        self._clear()
        if configuration is not None:
            self._configuration = configuration
        session.go(configuration)
        self._begin_progress(session)
        self.publish()

    async def abort(self) -> Outcome:
        """Abort what is unfinished. Raises ``StoreError`` when that can not be recorded."""
        return await self._open_session().abort()

    def stand_still(self, error: PerdureError) -> None:
        """Show a condition of the shell that keeps the work from going on."""
        self._problem = problems.unavailable_info(error, self._assembly.folder.uri)
        self._unavailable = True
        self.publish()

    def planned(self, plan: RecoveryPlan) -> None:
        """Show what the loop does next."""
        self._plan = plan
        operation = self._open_session().state.operation
        if not isinstance(operation, Idle):
            label = status.label(plan, operation)
            self._host.progress_report(operation.operation_id, label)
        self.publish()

    def status(self) -> Status:
        """Return the folder's status now."""
        folder = self._assembly.folder
        configuration = self._configuration
        return status.build(
            status.Facts(
                workspace_folder=folder.uri,
                environment_identity=folder.environment_identity,
                session=self.state,
                running=self.session is not None and self.session.running,
                plan=self._plan,
                problem=self._problem,
                unavailable=self._unavailable,
                approval=self.approvals.pending,
                context_tokens=self.gauge.tokens,
                context_window=configuration.provider.context_window if configuration else None,
                model=self._model(),
            )
        )

    def publish(self) -> None:
        """Tell the host and all waiters, if anything is different."""
        now = self.status()
        if now == self._published:
            return
        self._published = now
        self._host.status_changed(now)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def next_change(self) -> None:
        """Wait until the status is published again."""
        await self._changed.wait()

    def _open_session(self) -> Session:
        if self.session is None:
            raise LookupError("no session is open for writing")
        return self.session

    def _place(self, store: SessionStore) -> None:
        allowances = Allowances(self.sessions.directory / "allowances.json")
        settings = self.settings

        def make_loop(configuration: Configuration | None, effects: Effects) -> Loop:
            return self._assembly.loop(
                store=store,
                configuration=configuration,
                settings=settings,
                allowances=allowances,
                approvals=self.approvals,
                effects=effects,
                planned=self.planned,
            )

        self.session = Session(store=store, make_loop=make_loop, ended=self._loop_ended)
        self.gauge = ContextGauge()
        store.subscribe(self._committed)
        self._clear()
        self.publish()

    async def _show(self, path: Path, error: StoreError) -> None:
        self.reopen = path
        self._following = Following(path, self.sessions, self.publish)
        await self._following.start(follow=isinstance(error, SessionInUse))
        self.stand_still(error)

    def _clear(self) -> None:
        self._plan = None
        self._problem = None
        self._unavailable = False

    def _block(self, plan: Blocked, state: SessionState, configuration: Configuration) -> None:
        folder = self._assembly.folder.uri
        self._problem = problems.blocked_info(plan, state, configuration, folder)

    def _committed(self, facts: Sequence[Fact]) -> None:
        self.gauge.observe(facts)
        session = self._open_session()
        wire = [cast("JsonObject", dict(fact)) for fact in facts]
        self._host.committed({"sessionId": session.state.header.id, "facts": wire})
        self.publish()

    def _loop_ended(self, ending: Blocked | Exception | None) -> None:
        session = self.session
        if session is None:
            return
        self._clear()
        self._end_progress()
        match ending:
            case Blocked():
                self._plan = ending
                if self._configuration is not None:
                    self._block(ending, session.state, self._configuration)
            case PerdureError():
                self.reopen = session.store.path if isinstance(ending, StoreError) else None
                self.stand_still(ending)
            case Exception():
                self._host.log(f"The loop ended unexpectedly: {ending!r}")
                self.stand_still(PerdureError(f"An internal error stopped the work: {ending}"))
            case None:
                self._run_ended()
        self.publish()

    def _begin_progress(self, session: Session) -> None:
        operation = session.state.operation
        if isinstance(operation, Idle):
            return
        title = "Compacting" if operation.kind == "compaction" else "Working"
        self._in_progress = operation.operation_id
        self._host.progress_begin(operation.operation_id, title, self._cancelled)

    def _end_progress(self) -> None:
        if self._in_progress is not None:
            self._host.progress_end(self._in_progress)
            self._in_progress = None

    def _cancelled(self) -> None:
        async def abort() -> None:
            await self.abort()

        self._background.start(abort())

    def _model(self) -> ModelInfo:
        if self._configuration is None:
            model = self.settings.model
            return {"provider": model.provider, "name": model.name}
        identity = self._configuration.provider.identity
        return {"provider": identity.provider, "name": identity.model}
