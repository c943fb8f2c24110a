"""What a loop asks of the world, one request at a time, and how it waits for the reply.

The loop under test is the product's. Only the ground it stands on is replaced: where an event
loop would wait, these parts hand a request to the explorer, which decides how the world replies,
and tries every reply.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from types import coroutine
from typing import TypeAlias, TypeVar, cast

from perdure.agent import settlement
from perdure.agent.effects import Effects, EffectStopped
from perdure.agent.known_outcomes import interrupted_intent
from perdure.agent.records import Drafts
from perdure.core.plans import AppendSynthetic
from perdure.core.state import Compaction, Run, SessionState, ToolIntent
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderIdentity
from perdure.providers.prices import Prices
from perdure.store._transaction import Facts
from perdure.tools.base import Tool, ToolResult

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Commit:
    """Store these facts. Reply: the facts, or ``RejectedTransaction``."""

    drafts: Drafts


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the model. Reply: an answer, or ``ProviderError``."""

    request: ModelRequest


@dataclass(frozen=True, slots=True)
class Approve:
    """Ask the user whether this call may run. Reply: None, or the refusal."""

    intent: ToolIntent


@dataclass(frozen=True, slots=True)
class Begin:
    """A tool runs; as soon as this is replied to, its effect has happened. Reply: None."""

    intent: ToolIntent


@dataclass(frozen=True, slots=True)
class End:
    """A tool's effect has happened, its result is not yet known. Reply: the result."""

    intent: ToolIntent


@dataclass(frozen=True, slots=True)
class Recall:
    """Look whether the lost result of a call is known. Reply: the result, or None."""

    intent: ToolIntent


Request: TypeAlias = Commit | Ask | Approve | Begin | End | Recall
Reply: TypeAlias = Facts | Answer | ToolResult | str | BaseException | None


class Halt(BaseException):
    """Replied to an effect that an abort stops."""


@coroutine
def reply_to(request: Request) -> Generator[Request, Reply, Reply]:
    """Wait for the world."""
    return (yield request)


class SteppedEffects(Effects):
    """Effects whose end is decided by the explorer.

    The body of a tool is not run: what counts is when its effect happens and what it returns.
    ``intent`` is that of the tool which runs next.
    """

    def __init__(self) -> None:
        self.stopped = False
        self.intent: ToolIntent | None = None

    def stop(self) -> None:
        """Stop the next effect; the running one is ended by ``Halt``."""
        self.stopped = True

    async def run(self, effect: Coroutine[None, None, T]) -> T:
        """See ``Effects``."""
        intent, self.intent = self.intent, None
        if self.stopped:
            effect.close()
            raise EffectStopped
        try:
            if intent is None:
                return await effect
            effect.close()
            return cast("T", await _run_tool(intent))
        except Halt:
            raise EffectStopped from None


async def _run_tool(intent: ToolIntent) -> ToolResult:
    await reply_to(Begin(intent))
    return cast("ToolResult", await reply_to(End(intent)))


class SteppedStore:
    """The loop's view of the log: ``state`` is what it last saw, commits are requests."""

    def __init__(self, state: SessionState) -> None:
        self.state = state

    async def commit(self, drafts: Drafts) -> Facts:
        """See ``SessionStore``."""
        return cast("Facts", await reply_to(Commit(drafts)))


@dataclass(frozen=True, slots=True)
class SteppedProvider:
    """A model whose answers are decided by the explorer."""

    identity: ProviderIdentity
    context_window: int | None = None
    prices: Prices | None = None

    async def complete(self, request: ModelRequest, _: Callable[[Delta], None]) -> Answer:
        """See ``Provider``."""
        answer = await reply_to(Ask(request))
        assert isinstance(answer, Answer)
        return answer

    async def aclose(self) -> None:
        """See ``Provider``."""


class SteppedPermission:
    """Asks the user about every call that is not safe."""

    async def refusal(self, tool: Tool, intent: ToolIntent, state: SessionState) -> str | None:
        """See ``Permission``."""
        if intent.replay == "safe":
            return None
        return cast("str | None", await reply_to(Approve(intent)))


@dataclass(frozen=True, slots=True)
class SteppedOutcomes:
    """Whether anything is known of a lost result is decided by the explorer."""

    store: SteppedStore
    effects: SteppedEffects

    async def reap(self) -> None:
        """See ``KnownOutcomes``; the death of a server takes its commands with it here."""

    async def settled(self, plan: AppendSynthetic, operation: Run | Compaction) -> bool:
        """See ``KnownOutcomes``."""
        intent = interrupted_intent(plan, operation)
        if intent is None or operation.abort_requested:
            return False
        result = await self.effects.run(_recalled(intent))
        if result is None:
            return False
        await self.store.commit([settlement.tool_result(intent, result)])
        return True


async def _recalled(intent: ToolIntent) -> ToolResult | None:
    return cast("ToolResult | None", await reply_to(Recall(intent)))
