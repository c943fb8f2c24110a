"""How full the context is, by the provider's own numbers: the rule for compaction by threshold."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.core.facts import Fact, UsageCounters, UsageFact
from perdure.core.state import SessionState
from perdure.store.tail import facts_of_the_context

WORTH_SAYING = 4_000
"""Tokens in the context from which on it matters that its limit is unknown."""

Advice: TypeAlias = Literal["fine", "compact", "useless", "unknownWindow"]


class ContextGauge:
    """Follows the size of the requests of one session, from its committed facts.

    ``tokens`` is what the last request of a run and its answer were counted as; None before the
    first one and after a compaction, until the next request tells.

    ``useless``: already the first request after a compaction was over the threshold, so another
    compaction would not help: system prompt, tools and kept messages alone are too large.
    """

    def __init__(self) -> None:
        self.tokens: int | None = None
        self._first_after_compaction: int | None = None
        self._compacted = False
        self._summary_attempt: str | None = None

    def observe(self, facts: Sequence[Fact]) -> None:
        """Take note of the usage of a run's model request, and of a compaction."""
        for fact in facts:
            if fact["kind"] == "record" and fact["record"]["type"] == "stepAttempt":
                attempt = fact["record"]
                is_summary = attempt["stepKind"] == "compaction"
                self._summary_attempt = attempt["attemptId"] if is_summary else None
            elif fact["kind"] == "usage" and self._is_of_a_run(fact):
                self._measured(fact["usage"])
        if any(fact["kind"] == "entry" and fact["entry"]["type"] == "compaction" for fact in facts):
            self.tokens = None
            self._compacted = True
            self._first_after_compaction = None

    def advise(self, *, window: int | None, threshold: float) -> Advice:
        """Say what to do between two runs; ``threshold`` is a share of the ``window`` in tokens."""
        if window is None:
            return "unknownWindow" if (self.tokens or 0) >= WORTH_SAYING else "fine"
        limit = window * threshold
        if self.tokens is None or self.tokens < limit:
            return "fine"
        first = self._first_after_compaction
        return "useless" if first is not None and first >= limit else "compact"

    def _is_of_a_run(self, fact: UsageFact) -> bool:
        return "attemptId" in fact and fact["attemptId"] != self._summary_attempt

    def _measured(self, usage: UsageCounters) -> None:
        self.tokens = sum(
            (usage["input"], usage["cacheRead"], usage["cacheWrite"], usage["output"])
        )
        if self._compacted and self._first_after_compaction is None:
            self._first_after_compaction = self.tokens


async def gauge_of(path: Path, state: SessionState) -> ContextGauge:
    """Return the gauge of a session as its file tells, so that reopening forgets nothing.

    ``state`` is what the file reduces to.
    """
    gauge = ContextGauge()
    compacted = state.active_context[:1] != state.transcript[:1]
    for fact in await asyncio.to_thread(facts_of_the_context, path, compacted=compacted):
        gauge.observe([fact])
    return gauge
