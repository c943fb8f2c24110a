"""Seeded defects: each takes the place of one function of the product and breaks a promise.

They show that the explorer can fail. The laws that each of them must break stand in
``test_explorer.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from typing import TypeAlias, cast

from perdure.agent import records, settlement
from perdure.agent.loop import Loop
from perdure.agent.model_step import ModelStep
from perdure.agent.tool_step import ToolStep
from perdure.core import context
from perdure.core.facts import EntryDraft, Fact, UsageCounters, UsageDraft, UserEntry
from perdure.core.messages import AssistantMessage, Message, calls_of
from perdure.core.plans import (
    AppendSynthetic,
    Blocked,
    CurrentConfiguration,
    Finish,
    RecoveryPlan,
    StartStep,
    StartTool,
)
from perdure.core.recovery import plan_recovery
from perdure.core.state import Compaction, Idle, Prefix, Run, SessionState, Step, ToolIntent
from perdure.errors import RejectedTransaction
from perdure.json_types import JsonObject
from perdure.providers.base import ModelRequest
from perdure.store import _transaction, admission, levels
from perdure.store._transaction import Facts
from perdure.store.levels import Level
from perdure.tools.base import Tool, ToolResult

Planner: TypeAlias = Callable[[SessionState, CurrentConfiguration], RecoveryPlan]

# --- planners ----------------------------------------------------------------------------------


def replays_never_tools(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A started ``never`` tool is run again."""
    plan = plan_recovery(state, current)
    intents = _pending(state)
    if not isinstance(plan, AppendSynthetic) or not intents or _aborted(state):
        return plan
    intent = intents[0]
    return StartTool(
        "replay",
        intent.assistant_entry_id,
        intent.tool_index,
        intent.tool_name,
        intent.arguments,
        tool_started_id=intent.tool_started_id,
    )


def ignores_aborts(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """The work goes on as if nobody had asked it to stop."""
    if isinstance(state.operation, Idle):
        return plan_recovery(state, current)
    operation = replace(state.operation, abort_requested=False)
    return plan_recovery(replace(state, operation=operation), current)


def asks_a_third_time(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Attempts are never exhausted."""
    plan = plan_recovery(state, current)
    step = _step(state)
    if step is None or plan != Blocked("attempts_exhausted"):
        return plan
    return StartStep(step.step_kind, 2, step.context_through_entry_id, step.step_id)


def fails_what_is_exhausted(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Exhausted attempts end the operation instead of leaving it to the user."""
    plan = plan_recovery(state, current)
    if plan != Blocked("attempts_exhausted"):
        return plan
    return Finish("failed", error={"code": "model_error", "message": "attempts exhausted"})


def finishes_over_open_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A call whose outcome is unknown ends the run without a result."""
    plan = plan_recovery(state, current)
    if isinstance(plan, AppendSynthetic) and not _aborted(state):
        return Finish("failed", error={"code": "model_error", "message": "gave up"})
    return plan


def asks_over_open_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A call that can not be run is passed over, and the model is asked again."""
    plan = plan_recovery(state, current)
    if not isinstance(plan, AppendSynthetic) or _aborted(state) or state.boundary is None:
        return plan
    return StartStep("assistant", 1, state.boundary)


def forgets_the_environment(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A session may go on wherever it was copied to."""
    return plan_recovery(
        state, replace(current, environment_identity=state.header.environment_identity)
    )


def forgets_the_configuration(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A step may go on under another model."""
    step = _step(state)
    if step is None:
        return plan_recovery(state, current)
    return plan_recovery(state, replace(current, configuration_digest=step.configuration_digest))


def forgets_the_replay_key(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A safe tool is replayed by whatever has its name now."""
    keys = {intent.tool_name: intent.replay_key for intent in _pending(state)}
    tools = (
        replace(tool, replay="safe", replay_key=keys.get(tool.name, tool.replay_key))
        for tool in current.tools
    )
    return plan_recovery(state, replace(current, tools=tuple(tools)))


def runs_truncated_calls(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """Calls of an answer that was cut off are run."""
    plan = plan_recovery(state, current)
    if not isinstance(plan, AppendSynthetic) or plan.results[0].reason != "truncated":
        return plan
    first = plan.results[0]
    arguments: JsonObject = {"path": "a"}
    return StartTool("start", first.assistant_entry_id, 0, first.tool_name, arguments)


def waits_for_ever(state: SessionState, current: CurrentConfiguration) -> RecoveryPlan:
    """A failed step is reported as if a person had to decide."""
    plan = plan_recovery(state, current)
    return Blocked("attempts_exhausted") if isinstance(plan, Finish) else plan


def last_answer_with_calls(
    transcript: Prefix[Message],
) -> tuple[AssistantMessage, frozenset[str]]:
    """The present turn is taken to be the last one that had calls (14.5 B1)."""
    answered: set[str] = set()
    for message in reversed(transcript):
        if message["role"] == "assistant" and calls_of(message):
            return message, frozenset()
        if message["role"] == "tool":
            answered.add(message["tool_call_id"])
    return _last_answer(transcript)


_last_answer = context._last_answer

# --- store -------------------------------------------------------------------------------------


def admits_everything(_: SessionState, __: Sequence[Fact], *, unanswered: Set[str]) -> None:
    """The store asks for no more than the reducer does."""


def admits_late_summaries(
    before: SessionState, facts: Sequence[Fact], *, unanswered: Set[str]
) -> None:
    """A summary is stored although the compaction was aborted."""
    if isinstance(before.operation, Compaction):
        return
    admission.admit(before, facts, unanswered=unanswered)


def refuses_aborts(before: SessionState, facts: Sequence[Fact], *, unanswered: Set[str]) -> None:
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


def _aborted(state: SessionState) -> bool:
    return not isinstance(state.operation, Idle) and state.operation.abort_requested


def _pending(state: SessionState) -> list[ToolIntent]:
    operation = state.operation
    if not isinstance(operation, Run):
        return []
    return [intent for intent in operation.intents if intent.tool_started_id in operation.pending]
