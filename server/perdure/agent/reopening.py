"""Going on with an unfinished operation: by itself after reopening, or because the user says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, TypeAlias, assert_never

from perdure.agent.background import Background
from perdure.agent.configuration import Configuration
from perdure.agent.desk import Desk
from perdure.agent.host import Host
from perdure.agent.known_outcomes import finding, interrupted_file
from perdure.agent.queue_handover import HandOver
from perdure.agent.session import Session
from perdure.core.plan_shape import plan_to_json
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CloseAttempt,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
)
from perdure.core.state import Idle
from perdure.errors import PerdureError
from perdure.protocol.operations import ResumeResult
from perdure.store.places import data_path

STALE_AFTER_MS = 24 * 60 * 60 * 1000
"""An operation untouched for longer is asked about, even with ``auto``."""

Setting: TypeAlias = Literal["auto", "ask", "never"]
Decision: TypeAlias = Literal["resume", "ask", "suspend"]


class Reopening:
    """What happens to the session on the desk when it is opened again."""

    def __init__(
        self,
        *,
        desk: Desk,
        host: Host,
        hand_over: HandOver,
        background: Background,
        now: Callable[[], int],
    ) -> None:
        self._desk = desk
        self._host = host
        self._hand_over = hand_over
        self._background = background
        self._now = now

    async def opened(self) -> None:
        """Plan; then go on, ask, or stay suspended, as the setting ``resume`` says."""
        configuration = await self._configuration()
        session = self._desk.session
        operation = session.state.operation if session else Idle()
        if session is None or configuration is None or isinstance(operation, Idle):
            self._desk.board.publish()
            await self._go_on_with_queue()
            return
        plan = self._desk.plan(configuration)
        if isinstance(plan, Blocked):
            self._host.tell("warning", f"The session cannot go on by itself: {plan.reason}.")
            await self._show_interrupted(session)
            return
        data = data_path(session.store.path)
        first = await asyncio.to_thread(finding, plan, session.state, data) or describe(plan)
        last = session.state.last_timestamp
        match decide(self._setting(), last_timestamp=last, now=self._now()):
            case "resume":
                self._desk.go(configuration)
                self._background.start(self._tell(first, operation.operation_id))
            case "ask":
                await self._show_interrupted(session)
                self._background.start(self._ask(first, operation.operation_id))
            case "suspend":
                await self._show_interrupted(session)

    async def resume(self) -> ResumeResult:
        """Go on because the user says so; a blocked plan is a result, and writes nothing.

        Where nothing is unfinished, the first prompt that waits is started.
        """
        started = await self._hand_over.start()
        if started is not None:
            return {"outcome": "resumed", "plan": plan_to_json(started)}
        return self._no_need() or await self._resume_under(await self._desk.configure())

    async def resume_recorded(self) -> ResumeResult:
        """Go on as the operation's last step was recorded, for this operation alone.

        Before the first step it is ``resume``. Raises ``CommandError`` that names what is no
        longer available; then nothing is done.
        """
        no_need = self._no_need()
        if no_need is not None or self._desk.recorded is None:
            return no_need or await self._resume_under(await self._desk.configure())
        return await self._resume_under(await self._desk.configure_as_recorded(self._desk.recorded))

    def _no_need(self) -> ResumeResult | None:
        """Return the result where nothing is unfinished or the work goes on already."""
        if self._desk.session is None or not self._desk.unfinished:
            return {"outcome": "idle", "plan": plan_to_json(Finish("completed", "normal"))}
        if self._desk.running:
            return {"outcome": "running", "plan": self._desk.board.status()["plan"] or {}}
        return None

    async def _resume_under(self, configuration: Configuration) -> ResumeResult:
        plan = self._desk.plan(configuration)
        if not isinstance(plan, Blocked):
            self._desk.go(configuration)
            return {"outcome": "resumed", "plan": plan_to_json(plan)}
        if self._desk.session is not None:
            await self._show_interrupted(self._desk.session)
        result: ResumeResult = {"outcome": "blocked", "plan": plan_to_json(plan)}
        blocked = self._desk.board.status()["blocked"]
        if blocked is not None:
            result["blocked"] = blocked
        return result

    def _setting(self) -> Setting:
        """Nothing goes on by itself in a workspace that the user does not trust."""
        return self._desk.settings.resume if self._desk.settings.trusted else "never"

    async def _show_interrupted(self, session: Session) -> None:
        data = data_path(session.store.path)
        file = await asyncio.to_thread(interrupted_file, session.state, data)
        self._desk.board.show_interrupted(file)

    async def _go_on_with_queue(self) -> None:
        session = self._desk.session
        if session is None or self._desk.unfinished:
            return
        last = session.state.last_timestamp
        if decide(self._setting(), last_timestamp=last, now=self._now()) == "resume":
            await self._hand_over.go_on()

    async def _configuration(self) -> Configuration | None:
        """Return the configuration; where there is none, say so if something is unfinished."""
        try:
            return await self._desk.configure()
        except PerdureError as error:
            if self._desk.session is not None and self._desk.unfinished:
                self._desk.board.show_unavailable(error)
            return None

    async def _tell(self, first: str, operation_id: str) -> None:
        choice = await self._host.ask(f"Resumed: {first}.", ["Abort"])
        if choice == "Abort" and self._is_unfinished(operation_id):
            await self._desk.abort()

    async def _ask(self, first: str, operation_id: str) -> None:
        question = f"An operation is unfinished. If it goes on, {first}."
        choice = await self._host.ask(question, ["Resume", "Abort", "Not now"])
        if self._desk.running or not self._is_unfinished(operation_id):
            return
        if choice == "Resume":
            await self._go_on()
        elif choice == "Abort":
            await self._desk.abort()

    async def _go_on(self) -> None:
        """Plan again: the settings may have changed while the question was open."""
        configuration = await self._configuration()
        if configuration is None or isinstance(self._desk.plan(configuration), Blocked):
            return
        self._desk.go(configuration)

    def _is_unfinished(self, operation_id: str) -> bool:
        """Whether an answer that comes late still means what the question was about."""
        session = self._desk.session
        operation = session.state.operation if session else Idle()
        return not isinstance(operation, Idle) and operation.operation_id == operation_id


def decide(setting: Setting, *, last_timestamp: int, now: int) -> Decision:
    """Return what to do; times are ms since the epoch."""
    if setting == "never":
        return "suspend"
    if setting == "ask" or now - last_timestamp > STALE_AFTER_MS:
        return "ask"
    return "resume"


def describe(plan: RecoveryPlan) -> str:
    """Say in plain words what going on does first."""
    match plan:
        case StartStep(attempt=2):
            return "the model is asked again, because its last answer was lost"
        case StartStep():
            return "the model is asked for the next step"
        case StartTool(mode="replay"):
            return f"{plan.tool_name} runs again, which is safe"
        case StartTool():
            return f"{plan.tool_name}, which had not been started, is next"
        case AppendSynthetic():
            return _describe_results(plan)
        case CloseAttempt() | Finish(outcome="aborted"):
            return "the abort that was asked for is completed"
        case Finish():
            return "only the end of the operation has to be recorded"
        case Blocked():
            return "nothing can be done"
        case _:
            assert_never(plan)


def _describe_results(plan: AppendSynthetic) -> str:
    names = ", ".join(sorted({result.tool_name for result in plan.results}))
    if any(result.reason == "interrupted" for result in plan.results):
        return f"{names} is not repeated, because it is not known whether it took effect"
    return f"{names} is answered without being executed"
