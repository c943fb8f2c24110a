"""How long opening a session as a document takes, and showing one fact more.

Run: ``python -m tests.benchmarks.bench_transcript [FACTS …]`` (default 1000 10000). CPU time,
because the machine may be busy. Opening 10 000 facts has to take less than 0.5 s.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.bench_reduce import RESULT, TOOLS, realistic
from tests.support.log import Log, session

from perdure.agent.session_facts import session_facts
from perdure.agent.transcript import Transcript
from perdure.agent.transcript.file import TranscriptFile
from perdure.core.reducer import Ledger, load_ledger
from perdure.core.state import SessionState

ROUNDS = 5
MORE = 200


def one_long_run(facts: int) -> Log:
    """Return a single run of so many facts, and not finished."""
    log = session().prompt("go on")
    while log.seq < facts:
        log.attempt(*TOOLS).calls(("read", {"path": "src/module.py"})).usage().joined()
        log.started(0).result(0, RESULT)
    return log


def state_of(path: Path) -> SessionState:
    """Reduce a file."""
    ledger = load_ledger(path.read_bytes())
    assert isinstance(ledger, Ledger)
    return ledger.state


def best(action: Callable[[], object]) -> float:
    """Return the least CPU seconds of some rounds."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def seconds_per_fact(path: Path) -> float:
    """Return the mean seconds of showing each of the last facts alone, as the server does."""
    facts = session_facts(path.read_bytes())
    transcript = Transcript(state_of(path).header)
    transcript.append(facts[:-MORE])
    start = time.process_time()
    for fact in facts[-MORE:]:
        transcript.append([fact])
        _ = transcript.document
    return (time.process_time() - start) / MORE


def measure(log: Log, path: Path) -> str:
    """Return one row of the table."""
    path.write_bytes(log.to_bytes())
    state = state_of(path)
    from_disk = best(lambda: TranscriptFile(path).catch_up(state_of(path)).text)
    opened = best(lambda: TranscriptFile(path).catch_up(state).text)
    document = TranscriptFile(path).catch_up(state)
    text = best(lambda: document.text)
    return (
        f"{log.seq:8d} {len(document.turns):6d} {len(document.text) / 1e6:6.1f} {from_disk:11.3f}"
        f" {opened:7.3f} {seconds_per_fact(path) * 1e6:12.0f} {text * 1e3:8.1f}"
    )


def main(sizes: list[int]) -> None:
    """Print the table: sessions of many turns, then sessions of a single one."""
    print("   facts  turns     MB  from disk s  open s  us/fact more  text ms")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        for size in sizes:
            print(measure(realistic(size), path))
            print(measure(one_long_run(size), path))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 10_000])
