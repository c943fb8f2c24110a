"""Performing ``startStep``: attempt, request, settlement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from perdure.agent import records, settlement
from perdure.agent.answer_stream import AnswerStream
from perdure.agent.configuration import Configuration
from perdure.agent.effects import Effects
from perdure.agent.keys import Keys
from perdure.agent.opaque import OpaqueData
from perdure.agent.prompt import says_masked
from perdure.core.compaction import SummaryWork, summary_work
from perdure.core.context import model_messages
from perdure.core.facts import UsageCounters
from perdure.core.masking import ResultMasks
from perdure.core.messages import Message
from perdure.core.plans import StartStep
from perdure.core.state import Compaction, Idle, Run, SessionState, Step
from perdure.errors import RejectedTransaction
from perdure.protocol.progress import DeltaParams
from perdure.providers.base import Answer, ModelRequest, ProviderError
from perdure.store.jsonl import SessionStore

BYTES_PER_TOKEN = 3
"""A cautious estimate, used only to keep a summary request inside the context window."""
SUMMARY_SHARE = 0.75
"""The part of the context window that a summary request may fill."""


@dataclass(frozen=True, slots=True)
class ModelStep:
    """Sends the model requests of one operation.

    ``keys`` are taken out of what is stored and shown. ``opaque`` holds what the model wants back
    with its answers; None keeps nothing.
    """

    session_id: str
    store: SessionStore
    configuration: Configuration
    effects: Effects
    show: Callable[[DeltaParams], None]
    new_id: Callable[[], str]
    keys: Keys
    opaque: OpaqueData | None = None
    masks: ResultMasks = field(default_factory=ResultMasks)

    async def start(self, plan: StartStep, operation: Run | Compaction) -> None:
        """Announce the attempt, ask the model once and settle the attempt."""
        announced = records.attempt(
            operation,
            plan,
            step_id=plan.step_id or self.new_id(),
            attempt_id=self.new_id(),
            snapshot=self.configuration.snapshot,
            digest=self.configuration.current.configuration_digest,
        )
        await self.store.commit(announced)
        match self.store.state.operation:
            case Run(step=Step() as step) as run:
                await self._assistant(run, step, self.store.state)
            case Compaction(step=Step() as step) as compaction:
                await self._summary(compaction, step, self.store.state)
            case Run() | Compaction() | Idle():
                raise LookupError("a committed attempt is the current step")

    async def _assistant(self, run: Run, step: Step, state: SessionState) -> None:
        tools = tuple(tool.declaration.definition for tool in self.configuration.tools.tools)
        messages = model_messages(self._as_sent(state))
        opaque = {} if self.opaque is None else await self.opaque.known(state, messages)
        request = ModelRequest(self.configuration.system_prompt, messages, tools, opaque)
        outcome = await self._ask(step, request)
        if isinstance(outcome, ProviderError):
            await self._settle(step, settlement.settle_error(run, step, outcome), outcome.usage)
            return
        entry_id = self.new_id()
        if self.opaque is not None and outcome.opaque is not None:
            await self.opaque.keep(entry_id, outcome.opaque)
        drafts = settlement.settle_answer(run, step, outcome, entry_id=entry_id)
        await self._settle(step, drafts, outcome.usage)

    async def _summary(self, compaction: Compaction, step: Step, state: SessionState) -> None:
        work = self._bounded(summary_work(self._as_sent(state), compaction))
        outcome = await self._ask(step, ModelRequest(work.system, work.messages, ()))
        if isinstance(outcome, ProviderError):
            drafts = settlement.settle_error(compaction, step, outcome)
        else:
            drafts = settlement.settle_summary(compaction, step, work, outcome)
        await self._settle(step, drafts, outcome.usage)

    def _as_sent(self, state: SessionState) -> SessionState:
        """Mask the results of tools where the system prompt says that they are."""
        is_masked = says_masked(self.configuration.system_prompt)
        return self.masks.applied(state) if is_masked else state

    async def _ask(self, step: Step, request: ModelRequest) -> Answer | ProviderError:
        """Send the request once. Expected failures are values: they are settled like answers."""
        stream = AnswerStream(self.session_id, step, self.keys, self.show)
        try:
            asking = self.configuration.provider.complete(request, stream.take)
            answer = await self.effects.run(asking)
        except ProviderError as error:
            return error
        stream.end()
        return self.keys.without_in_answer(answer)

    async def _settle(
        self, step: Step, drafts: records.Drafts, usage: UsageCounters | None
    ) -> None:
        """Commit the settlement, or, when an abort was first, close the attempt as aborted.

        An answer that the log cannot hold (16 MiB, counters beyond all bounds) is a failed one.
        """
        try:
            await self.store.commit(drafts)
        except RejectedTransaction as refusal:
            operation = self.store.state.operation
            if operation.kind == "idle":
                raise
            if operation.abort_requested:
                closing = settlement.close_aborted(step, usage=usage)
            else:
                closing = settlement.settle_unstorable(operation, step, refusal)
            await self.store.commit(closing)

    def _bounded(self, work: SummaryWork) -> SummaryWork:
        window = self.configuration.provider.context_window
        if window is None:
            return work
        limit = int(window * SUMMARY_SHARE) * BYTES_PER_TOKEN
        return replace(work, messages=tuple(_shortened(m, limit) for m in work.messages))


def _shortened(message: Message, limit: int) -> Message:
    """Keep the beginning and the end of a text that would not fit; ``limit`` is in bytes."""
    text = (message["content"] or "").encode()
    if message["role"] != "user" or len(text) <= limit:
        return message
    head = limit // 4
    beginning = text[:head].decode("utf-8", "ignore")
    end = text[head - limit :].decode("utf-8", "ignore")
    left_out = f"\n[{len(text) - limit} bytes left out]\n"
    return {"role": "user", "content": f"{beginning}{left_out}{end}"}
