"""The loop: plan, perform the one effect that the plan names, commit its facts, plan again.

There is no other path: a fresh prompt, a reopened crash and an abort run through these lines.
Laws:

* An effect happens only between two commits; what it did is committed before anything is shown.
* The order in the file decides the race of abort and settlement: a settlement that comes after
  ``abortRequested`` is rejected by the store, and the loop plans again.
* Every turn commits at least one fact, or the loop ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from perdure.agent import records
from perdure.agent.configuration import Configuration
from perdure.agent.effects import EffectStopped
from perdure.agent.guard import going_in_circles
from perdure.agent.known_outcomes import KnownOutcomes
from perdure.agent.model_step import ModelStep
from perdure.agent.tool_step import ToolStep
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CloseAttempt,
    CurrentConfiguration,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
)
from perdure.core.recovery import plan_recovery
from perdure.core.state import Compaction, Idle, Run, SessionState, Step
from perdure.errors import RejectedTransaction
from perdure.store.jsonl import SessionStore

NO_CONFIGURATION = CurrentConfiguration("", "", ())
"""What an abort is planned with: it compares nothing, requests nothing and starts nothing."""


@dataclass(frozen=True, slots=True)
class Work:
    """What can be done under a configuration."""

    configuration: Configuration
    model: ModelStep
    tools: ToolStep


@dataclass(frozen=True, slots=True)
class Loop:
    """Drives the unfinished operation of one session until it is idle or blocked.

    ``work`` is None where only an abort is to be reconciled. ``planned`` is told each plan
    before it is performed. ``ended`` is called at the end, also of a loop that is cancelled: what
    waited for a next call has to go.
    """

    store: SessionStore
    work: Work | None
    outcomes: KnownOutcomes
    planned: Callable[[RecoveryPlan], None]
    ended: Callable[[], None]

    async def run(self) -> Blocked | None:
        """Go on until the operation is finished (None) or blocked (the plan).

        Raises ``StoreError`` when a fact cannot be made durable; the session is then as far as
        its file says.
        """
        try:
            await self.outcomes.reap()
            return await self._go_on()
        finally:
            self.ended()

    async def _go_on(self) -> Blocked | None:
        current = self.work.configuration.current if self.work else NO_CONFIGURATION
        while True:
            state = self.store.state
            operation = state.operation
            if isinstance(operation, Idle):
                return None
            plan = plan_recovery(state, current)
            if isinstance(plan, Blocked):
                return plan
            self.planned(plan)
            try:
                await self._perform(plan, state, operation)
            except EffectStopped:
                continue
            except RejectedTransaction:
                if not self._abort_came_after(operation):
                    raise

    async def _perform(
        self, plan: RecoveryPlan, state: SessionState, operation: Run | Compaction
    ) -> None:
        match plan:
            case StartStep():
                await self._start_step(plan, state, operation)
            case StartTool():
                await self._start_tool(plan, operation)
            case AppendSynthetic():
                await self._append_synthetic(plan, operation)
            case CloseAttempt():
                await self.store.commit([records.step_failed(_step(operation), plan.error)])
            case Finish():
                await self.store.commit([records.finished(operation, plan)])
            case Blocked():
                raise ValueError("a blocked plan is not performed")
            case _:
                assert_never(plan)

    async def _start_step(
        self, plan: StartStep, state: SessionState, operation: Run | Compaction
    ) -> None:
        stuck = going_in_circles(state) if plan.attempt == 1 and operation.step else None
        if stuck is not None:
            await self.store.commit([records.finished(operation, Finish("failed", error=stuck))])
            return
        await self._work().model.start(plan, operation)

    async def _start_tool(self, plan: StartTool, operation: Run | Compaction) -> None:
        assert isinstance(operation, Run)  # noqa: S101  (only a run has calls)
        tools = self._work().tools
        if plan.mode == "start":
            await tools.start(plan, _step(operation))
        else:
            await tools.replay(plan, operation)

    async def _append_synthetic(self, plan: AppendSynthetic, operation: Run | Compaction) -> None:
        if await self.outcomes.settled(plan, operation):
            return
        step = _step(operation)
        await self.store.commit([records.synthetic(step, result) for result in plan.results])

    def _work(self) -> Work:
        if self.work is None:
            raise ValueError("an abort requests and starts nothing")
        return self.work

    def _abort_came_after(self, planned_for: Run | Compaction) -> bool:
        now = self.store.state.operation
        return not planned_for.abort_requested and not isinstance(now, Idle) and now.abort_requested


def _step(operation: Run | Compaction) -> Step:
    if operation.step is None:
        raise LookupError("this plan is made only when there is a step")
    return operation.step
