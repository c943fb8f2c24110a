"""When the context is nearly full: the rule for compaction by threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from perdure.core.facts import Fact, UsageCounters, UsageFact

Advice: TypeAlias = Literal["fine", "compact", "useless", "unknownWindow"]


class ContextGauge:
    """Follows the size of the requests of one session, from its committed facts.

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
            return "unknownWindow"
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
