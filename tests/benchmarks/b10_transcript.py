"""B10: opening a session as a document, and showing one fact more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.sessions import realistic
from tests.benchmarks.timing import interleaved

from perdure.agent.session_facts import session_facts
from perdure.agent.transcript import Transcript
from perdure.agent.transcript.file import TranscriptFile
from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState

SIZES = (1_000, 10_000)
MORE = 200


def measure(bench: Bench) -> Iterator[Figure]:
    """Open sessions of many turns and of a single one; the CPU time counts."""
    folder = bench.folder("transcript")
    for shape, until_idle in (("many turns", True), ("one turn", False)):
        per_fact = []
        for facts in SIZES:
            path = folder / f"{facts}-{shape}.jsonl"
            path.write_bytes(realistic(facts, until_idle=until_idle).to_bytes())
            state = _state_of(path)
            per_fact.append(_seconds_per_fact(path, state))
        times = interleaved({"open": partial(_document, path, state)}, rounds=3)
        yield Figure(
            measure="B10",
            what=f"show {facts} facts, {shape}",
            value=times["open"] * 1e3,
            unit="ms",
            at_most=500,
        )
        yield Figure(
            measure="B10",
            what=f"one fact more after {facts}, {shape}",
            value=per_fact[1] * 1e6,
            unit="us",
            beside=f"after {SIZES[0]}",
            beside_value=per_fact[0] * 1e6,
            at_most=1.5,
        )


def _document(path: Path, state: SessionState) -> str:
    return TranscriptFile(path).catch_up(state).text


def _state_of(path: Path) -> SessionState:
    result = reduce_session(path.read_bytes())
    if not isinstance(result, Reduced):
        raise AssertionError(result)
    return result.state


def _seconds_per_fact(path: Path, state: SessionState) -> float:
    """Return the mean seconds of showing each of the last facts alone, as the server does."""
    facts = session_facts(path.read_bytes())
    transcript = Transcript(state.header)
    transcript.append(facts[:-MORE])
    began = time.process_time()
    for fact in facts[-MORE:]:
        transcript.append([fact])
        _ = transcript.document
    return (time.process_time() - began) / MORE
