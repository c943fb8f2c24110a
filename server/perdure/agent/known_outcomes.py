"""Calls whose outcome is known, although the log alone cannot know it.

The planner sees an intent without a result and plans ``interrupted``. What lies beside the
session may tell more: a supervised command that is still running, or has ended while nobody
looked, and a file that has exactly the content that a call was to give it. Then the loop stores
the real result under the provisioned id instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from perdure.agent import settlement
from perdure.agent.effects import Effects
from perdure.agent.keys import Keys, clean
from perdure.core.context import open_calls
from perdure.core.plans import AppendSynthetic, RecoveryPlan
from perdure.core.state import Compaction, Idle, Run, SessionState, ToolIntent
from perdure.protocol.trouble import InterruptedFile
from perdure.store.jsonl import SessionStore
from perdure.store.places import data_path
from perdure.tools import images, jobs
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.images import Verdict

_FINDINGS: dict[Verdict, str] = {
    "applied": "{name} is recorded as done, because its file has the new content",
    "notApplied": "{name} is not repeated; its file is as it was before the call",
    "changedSince": "{name} is not repeated; its file has other content than before and after it",
    "unknown": "{name} is not repeated, because its file cannot be read",
}
_FILE_MESSAGES: dict[Verdict, str] = {
    "applied": "{name} was interrupted here. The file has the new content.",
    "notApplied": "{name} was interrupted here. The file is as it was before.",
    "changedSince": "{name} was interrupted here. The file is neither as before nor as after it.",
    "unknown": "{name} was interrupted here. The file cannot be read.",
}


@dataclass(frozen=True, slots=True)
class KnownOutcomes:
    """The outcomes of one session's calls. ``attached`` is told which call is waited for.

    ``keys`` are taken out of what is stored.
    """

    store: SessionStore
    effects: Effects
    context: Callable[[ToolIntent], ToolContext]
    attached: Callable[[ToolIntent | None], None]
    keys: Keys

    async def reap(self) -> None:
        """End what an earlier server left behind, except what can be attached to."""
        await jobs.reap(data_path(self.store.path))

    async def settled(self, plan: AppendSynthetic, operation: Run | Compaction) -> bool:
        """Store the real result of an interrupted call, if it is known; else return False.

        An abort ends the command instead: its result is ``interrupted`` like any other. In either
        case nothing half-written is left in the workspace.
        """
        intent = interrupted_intent(plan, operation)
        if intent is None:
            return False
        context = self.context(intent)
        await asyncio.to_thread(images.discard_unfinished, context.data, intent.tool_started_id)
        if operation.abort_requested:
            await jobs.end(context.data, intent.tool_started_id)
            return False
        result = await self._command_result(intent, context)
        if result is None:
            result = await asyncio.to_thread(_file_result, intent, context)
        if result is None:
            return False
        result = await clean(result, self.keys, context)
        await self.store.commit([settlement.tool_result(intent, result)])
        return True

    async def _command_result(self, intent: ToolIntent, context: ToolContext) -> ToolResult | None:
        if intent.tool_started_id in jobs.running(context.data):
            self.attached(intent)
        try:
            attaching = jobs.attach(context.data, intent.tool_started_id, context.on_output)
            return await self.effects.run(attaching)
        finally:
            self.attached(None)


def finding(plan: RecoveryPlan, state: SessionState, data: Path) -> str | None:
    """Say what is known of the call that the plan gives up, None where nothing is.

    ``data`` is the session's own folder.
    """
    if not isinstance(plan, AppendSynthetic) or isinstance(state.operation, Idle):
        return None
    intent = interrupted_intent(plan, state.operation)
    if intent is None or state.operation.abort_requested:
        return None
    if intent.tool_started_id in jobs.running(data):
        return f"{intent.tool_name} is still running and is waited for"
    if jobs.has_known_outcome(data, intent.tool_started_id):
        return f"{intent.tool_name} has ended meanwhile and its result is stored"
    image = images.noted(data, intent.tool_started_id)
    return None if image is None else _FINDINGS[images.look(image)].format(name=intent.tool_name)


def interrupted_file(state: SessionState, data: Path) -> InterruptedFile | None:
    """Say what is known of the file that the first open call was writing, if it is such a call.

    A call without a note had not come to its file yet.
    """
    intent = next((call.intent for call in open_calls(state) if call.intent is not None), None)
    image = None if intent is None else images.noted(data, intent.tool_started_id)
    if intent is None or image is None:
        return None
    message = _FILE_MESSAGES[images.look(image)].format(name=intent.tool_name)
    return {"uri": image.path.as_uri(), "toolCallId": intent.tool_call_id, "message": message}


def interrupted_intent(plan: AppendSynthetic, operation: Run | Compaction) -> ToolIntent | None:
    """Return the intent that the plan gives up; there is at most one outside an abort."""
    started = {result.tool_started_id for result in plan.results} - {None}
    intents = reversed(operation.intents) if isinstance(operation, Run) else ()
    return next((intent for intent in intents if intent.tool_started_id in started), None)


def _file_result(intent: ToolIntent, context: ToolContext) -> ToolResult | None:
    image = images.noted(context.data, intent.tool_started_id)
    if image is None or images.look(image) != "applied":
        return None
    return ToolResult("success", image.success)
