"""When compaction by threshold starts, and when it would be useless."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.agent_home import agent_at, session_file, talk
from tests.support.log import Log, session
from tests.support.resume import state_of

from perdure.agent.gauge import WORTH_SAYING, ContextGauge, gauge_of
from perdure.agent.session_facts import session_facts
from perdure.core.entries import CompactionEntry
from perdure.core.facts import Fact

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
        ([request(80)], None, "fine"),
        ([request(WORTH_SAYING)], None, "unknownWindow"),
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


def _run(log: Log, tokens: int) -> Log:
    return log.prompt().attempt().usage(output=tokens - 1).answer("fine").finish()


def _compacting(log: Log, tokens: int) -> Log:
    return log.user("later").compact(keep=1).attempt().usage(output=tokens)


def _compacted(log: Log) -> Log:
    return _compacting(_run(log, 90), 70).summary().finish()


@pytest.mark.parametrize(
    ("log", "tokens", "advice"),
    [
        (session(), None, "fine"),
        (_run(session(), 90), 90, "compact"),
        (_run(_run(session(), 90), 20), 20, "fine"),
        (_run(session(), 90).prompt().attempt(), 90, "compact"),
        (_compacting(_run(session(), 90), 70), 90, "compact"),
        (_compacted(session()), None, "fine"),
        (_run(_compacted(session()), 85), 85, "useless"),
        (_run(_run(_compacted(session()), 30), 85), 85, "compact"),
        (_run(_compacted(_compacted(session())), 85), 85, "useless"),
    ],
)
@pytest.mark.asyncio
async def test_the_file_of_a_session_tells_the_same(
    tmp_path: Path, log: Log, tokens: int | None, advice: str
) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(log.to_bytes())
    gauge = await gauge_of(path, state_of(log.to_bytes()))
    assert gauge.tokens == tokens
    assert gauge.advise(window=100, threshold=0.8) == advice


@pytest.mark.asyncio
@pytest.mark.parametrize("content", [None, b"", b'{"usage" no json}\n', b"\xff"])
async def test_a_file_that_cannot_be_read_tells_nothing(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "session.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert (await gauge_of(path, state_of(session().to_bytes()))).tokens is None


@pytest.mark.asyncio
async def test_a_fork_and_a_session_opened_again_know_their_size(tmp_path: Path) -> None:
    async with agent_at(tmp_path) as agent:
        await talk(agent, "usage: 100 5", "text: one")
        first = await talk(agent, "usage: 200 5", "text: two")
        assert first["usage"]["contextTokens"] == 205
        facts = session_facts(session_file(tmp_path).read_bytes())
        (_, entry_id) = [fact["id"] for fact in facts if "'role': 'user'" in str(fact)]
        origin = str(first["sessionId"])
        forked = await agent.admin.fork({"sessionId": origin, "entryId": entry_id})
        assert forked["usage"]["contextTokens"] == 105
        empty = await agent.new_session()
        assert empty["usage"]["contextTokens"] is None
        again = await agent.open_session({"sessionId": origin})
        assert again["usage"]["contextTokens"] == 205
