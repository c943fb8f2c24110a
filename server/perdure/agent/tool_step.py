"""Performing ``startTool``: approval, intent, effect, result; in this order and no other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from perdure.agent import records, settlement
from perdure.agent.configuration import Configuration
from perdure.agent.effects import Effects
from perdure.agent.keys import Keys, clean
from perdure.agent.permission import Permission
from perdure.core.context import OpenCall, open_calls
from perdure.core.plans import StartTool
from perdure.core.state import Run, Step, ToolIntent
from perdure.errors import ToolError
from perdure.store.jsonl import SessionStore
from perdure.tools.base import Tool, ToolContext, ToolResult
from perdure.tools.registry import declaration_of
from perdure.tools.text import failure

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolStep:
    """Runs the calls of one run. ``context`` makes what a tool may know, for one intent.

    ``keys`` are taken out of what is stored.
    """

    store: SessionStore
    configuration: Configuration
    effects: Effects
    permission: Permission
    context: Callable[[ToolIntent], ToolContext]
    keys: Keys
    new_id: Callable[[], str]

    async def start(self, plan: StartTool, step: Step) -> None:
        """Start a call, or refuse it: then intent and error result are one transaction."""
        tool = self._tool(plan)
        intent = self._intent(plan, step, tool)
        refusal = tool.validate(plan.arguments)
        if refusal is None:
            asking = self.permission.refusal(tool, intent, self.store.state)
            refusal = await self.effects.run(asking)
        started = records.tool_started(intent)
        if refusal is not None:
            refused = failure(ToolError(self.keys.without(refusal)))
            await self.store.commit([started, settlement.tool_result(intent, refused)])
            return
        await self.store.commit([started])
        await self._run(tool, intent)

    async def replay(self, plan: StartTool, run: Run) -> None:
        """Run a safe call again with its recorded arguments; the intent stands already."""
        intent = next(i for i in run.intents if i.tool_started_id == plan.tool_started_id)
        await self._run(self._tool(plan), intent)

    async def _run(self, tool: Tool, intent: ToolIntent) -> None:
        context = self.context(intent)
        result = await self.effects.run(self._executed(tool, intent, context))
        await self.store.commit([settlement.tool_result(intent, result)])

    async def _executed(self, tool: Tool, intent: ToolIntent, context: ToolContext) -> ToolResult:
        result = await execute(tool, intent, context)
        return await clean(result, self.keys, context)

    def _tool(self, plan: StartTool) -> Tool:
        tool = self.configuration.tools.get(plan.tool_name)
        if tool is None:
            raise LookupError(f"the planner starts only declared tools, not {plan.tool_name}")
        return tool

    def _intent(self, plan: StartTool, step: Step, tool: Tool) -> ToolIntent:
        call = self._call(plan)
        declaration = declaration_of(tool)
        return ToolIntent(
            operation_id=step.operation_id,
            tool_started_id=self.new_id(),
            step_id=step.step_id,
            assistant_entry_id=plan.assistant_entry_id,
            tool_index=plan.tool_index,
            tool_call_id=call.call["id"],
            tool_name=plan.tool_name,
            arguments=plan.arguments,
            replay=declaration.replay,
            replay_key=declaration.replay_key,
            environment_identity=self.configuration.current.environment_identity,
            result_entry_id=self.new_id(),
        )

    def _call(self, plan: StartTool) -> OpenCall:
        return next(c for c in open_calls(self.store.state) if c.index == plan.tool_index)


async def execute(tool: Tool, intent: ToolIntent, context: ToolContext) -> ToolResult:
    """Run the call; whatever goes wrong is a result, so that no call is left without one."""
    try:
        return await tool.execute(intent.arguments, context)
    except ToolError as error:
        return failure(error)
    except Exception as error:  # a defect of the tool
        logger.exception("tool %s failed", intent.tool_name)
        return failure(ToolError(f"the tool failed unexpectedly: {error}"))
