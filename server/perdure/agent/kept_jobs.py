"""Commands that outlived a server (setting ``runningCommands: keep``).

The planner sees an intent without a result and plans ``interrupted``, because the log alone can
not know more. Where a supervised command is still there, or ended while nobody looked, its
outcome *is* known: the loop waits for it and stores the real result instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from perdure.agent import settlement
from perdure.agent.effects import Effects
from perdure.core.plans import AppendSynthetic
from perdure.core.state import Compaction, Run, ToolIntent
from perdure.store.jsonl import SessionStore
from perdure.store.places import data_path
from perdure.tools import jobs
from perdure.tools.base import ToolContext


@dataclass(frozen=True, slots=True)
class KeptJobs:
    """The supervised commands of one session."""

    store: SessionStore
    effects: Effects
    context: Callable[[ToolIntent], ToolContext]

    async def reap(self) -> None:
        """End what an earlier server left behind, except what can be attached to."""
        await jobs.reap(data_path(self.store.path))

    async def settled(self, plan: AppendSynthetic, operation: Run | Compaction) -> bool:
        """Store the real result of an interrupted call, if there is one; else return False.

        An abort ends the command instead: its result is ``interrupted`` like any other.
        """
        intent = _interrupted(plan, operation)
        if intent is None:
            return False
        context = self.context(intent)
        if operation.abort_requested:
            await jobs.end(context.data, intent.tool_started_id)
            return False
        attached = jobs.attach(context.data, intent.tool_started_id, context.on_output)
        result = await self.effects.run(attached)
        if result is None:
            return False
        await self.store.commit([settlement.tool_result(intent, result)])
        return True


def _interrupted(plan: AppendSynthetic, operation: Run | Compaction) -> ToolIntent | None:
    """Return the intent that the plan gives up; there is at most one outside an abort."""
    started = {result.tool_started_id for result in plan.results} - {None}
    intents = reversed(operation.intents) if isinstance(operation, Run) else ()
    return next((intent for intent in intents if intent.tool_started_id in started), None)
