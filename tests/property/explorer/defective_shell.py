"""Seeded defects of store and agent: each takes the place of one function and breaks a promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import cast

from perdure.agent import records, settlement
from perdure.agent.loop import Loop
from perdure.agent.model_step import ModelStep
from perdure.agent.tool_step import ToolStep
from perdure.core.entries import UserEntry
from perdure.core.facts import EntryDraft, Fact, UsageCounters, UsageDraft
from perdure.core.messages import Message
from perdure.core.plans import (
    Blocked,
    StartStep,
    StartTool,
)
from perdure.core.state import Compaction, Idle, Operation, Run, SessionState, Step, ToolIntent
from perdure.errors import RejectedTransaction
from perdure.providers.base import ModelRequest
from perdure.store import _transaction, admission, levels
from perdure.store._transaction import Facts
from perdure.store.levels import Level
from perdure.tools.base import Tool, ToolResult

# --- store -------------------------------------------------------------------------------------


def admits_everything(_: Operation, __: Sequence[Fact], *, unanswered: Set[str]) -> None:
    """The store asks for no more than the reducer does."""


def admits_late_summaries(
    before: Operation, facts: Sequence[Fact], *, unanswered: Set[str]
) -> None:
    """A summary is stored although the compaction was aborted."""
    if isinstance(before, Compaction):
        return
    admission.admit(before, facts, unanswered=unanswered)


def refuses_aborts(before: Operation, facts: Sequence[Fact], *, unanswered: Set[str]) -> None:
    """Nothing can be aborted."""
    admission.admit(before, facts, unanswered=unanswered)
    for fact in facts:
        if fact["kind"] == "record" and fact["record"]["type"] == "abortRequested":
            raise RejectedTransaction("not now", code="ABORT_REQUESTED", seq=fact["seq"])


def judges_no_usage(facts: Facts) -> tuple[Facts, bytes]:
    """What is judged is not all that is written."""
    facts, line = _transaction.encode(facts)
    nothing: UsageCounters = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    judged = [{**fact, "usage": nothing} if fact["kind"] == "usage" else fact for fact in facts]
    return cast("Facts", tuple(judged)), line


def not_synced(*records_left_out: str) -> Callable[[Sequence[Fact], Level], bool]:
    """Transactions with these records are not synced before they are acknowledged."""

    def needs_sync(facts: Sequence[Fact], level: Level) -> bool:
        for fact in facts:
            if fact["kind"] == "record" and fact["record"]["type"] in records_left_out:
                return False
        return levels.needs_sync(facts, level)

    needs_sync.__name__ = "not_synced_" + "_".join(records_left_out)
    return needs_sync


# --- agent -------------------------------------------------------------------------------------


async def effect_before_commit(self: ToolStep, plan: StartTool, step: Step) -> None:
    """A tool runs first; its intent is stored with its result."""
    tool = self._tool(plan)
    intent = self._intent(plan, step, tool)
    self.context(intent)
    result: ToolResult = await self.effects.run(_nothing())
    await self.store.commit([records.tool_started(intent), settlement.tool_result(intent, result)])


def sends_all_there_is(state: SessionState) -> Sequence[Message]:
    """Attempt 2 also sends what was added after attempt 1."""
    return state.active_context


def always_plans_again(*_: object) -> bool:
    """A loop whose transaction was refused plans again, whatever the reason was."""
    return True


async def asks_before_commit(self: ModelStep, plan: StartStep, operation: Run | Compaction) -> None:
    """The request is sent before its attempt is stored."""
    request = ModelRequest("", self.store.state.active_context, ())
    await self.effects.run(self.configuration.provider.complete(request, _drop))
    await _start_step(self, plan, operation)


async def loses_results(self: ToolStep, _: Tool, intent: ToolIntent) -> None:
    """What a tool used is stored, its result is not."""
    self.context(intent)
    await self.effects.run(_nothing())
    started, operation = intent.tool_started_id, intent.operation_id
    counters: UsageCounters = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0}
    usage = UsageDraft(kind="usage", operationId=operation, toolStartedId=started, usage=counters)
    await self.store.commit([usage])


async def notes_each_start(self: Loop) -> Blocked | None:
    """A loop stores that it started."""
    entry: UserEntry = {"type": "message", "message": {"role": "user", "content": "started"}}
    await self.store.commit([EntryDraft(kind="entry", entry=entry)])
    return await _run(self)


async def hides_what_blocks(self: Loop) -> Blocked | None:
    """A blocked loop ends as if it had finished."""
    await _run(self)
    return None


_start_step, _run = ModelStep.start, Loop.run


def _drop(_: object) -> None:
    """Show nothing."""


async def _nothing() -> ToolResult:
    raise NotImplementedError


def _step(state: SessionState) -> Step | None:
    return None if isinstance(state.operation, Idle) else state.operation.step
