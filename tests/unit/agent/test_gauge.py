"""When compaction by threshold starts, and when it would be useless."""

from __future__ import annotations

import pytest

from perdure.agent.gauge import ContextGauge
from perdure.core.facts import CompactionEntry, Fact

SUMMARY: CompactionEntry = {
    "type": "compaction",
    "operationId": "o",
    "summary": "s",
    "compactedThroughEntryId": "e",
    "retainedTail": [],
}


def request(tokens: int) -> Fact:
    """The usage fact of a model request."""
    return {
        "kind": "usage",
        "seq": 1,
        "id": "u",
        "timestamp": 0,
        "operationId": "o",
        "attemptId": "a",
        "usage": {"input": tokens - 3, "output": 1, "cacheRead": 1, "cacheWrite": 1},
    }


COMPACTED: Fact = {"kind": "entry", "seq": 1, "id": "c", "timestamp": 0, "entry": SUMMARY}


@pytest.mark.parametrize(
    ("facts", "window", "expected"),
    [
        ([], 100, "fine"),
        ([request(79)], 100, "fine"),
        ([request(80)], 100, "compact"),
        ([request(80)], None, "unknownWindow"),
        ([request(90), COMPACTED], 100, "fine"),
        ([request(90), COMPACTED, request(85)], 100, "useless"),
        ([request(90), COMPACTED, request(30), request(85)], 100, "compact"),
        ([request(90), COMPACTED, request(85), request(30), COMPACTED, request(20)], 100, "fine"),
    ],
)
@pytest.mark.hazard("System prompt and tools alone fill 90 % of the window")
def test_advice(facts: list[Fact], window: int | None, expected: str) -> None:
    gauge = ContextGauge()
    for fact in facts:
        gauge.observe([fact])
    assert gauge.advise(window=window, threshold=0.8) == expected
