"""How long opening a session and judging a commit take, beside parsing the same lines.

Run: ``python tests/benchmarks/bench_reduce.py [facts …]`` (default 1000 10000 100000).
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.log import Log, session

from perdure.core.codec import encode_line
from perdure.core.reducer import Ledger, load_ledger
from perdure.json_types import JsonValue

TOOLS = ("read", "write", "edit", "bash", "grep", "glob")
RESULT = "    return [line for line in text if line]\n" * 50
COMMITS = 200


def realistic(facts: int) -> Log:
    """Return runs of five steps; a result has 2 KB, an attempt its six tools."""
    log = session()
    while log.seq < facts:
        log.prompt("Please look into the failing test and mend it. " * 6)
        for step in range(4):
            log.attempt(*TOOLS).calls(("read", {"path": f"src/module_{step}.py", "offset": step}))
            log.usage().joined().started(0).result(0, RESULT)
        log.attempt(*TOOLS).answer("The test passes now. " * 20).usage().joined().finish()
    return log


def best(action: Callable[[], object], *, rounds: int = 3) -> float:
    """Return the least seconds of some rounds."""
    times = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def commit_seconds(ledger: Ledger, log: Log) -> float:
    """Return the mean seconds of judging one transaction of a run after this history."""
    first = len(log.lines)
    last = log.seq + COMMITS
    while log.seq < last:
        log.prompt("next").attempt(*TOOLS).calls(("read", {"path": "x"})).started(0)
        log.result(0, RESULT).attempt(*TOOLS).answer("done").finish()
    lines = [line if isinstance(line, list) else [line] for line in log.lines[first:]]
    candidates: list[tuple[list[JsonValue], int]] = [
        ([fact for fact in line if not isinstance(fact, bytes)], len(encode_line(line)))
        for line in lines
    ]
    start_mark = ledger.mark()

    def commit() -> None:
        ledger.rollback(start_mark)
        for facts, length in candidates:
            ledger.apply(facts, length=length)

    return best(commit, rounds=7) / len(candidates)


def main() -> None:
    """Print the table."""
    sizes = [int(size) for size in sys.argv[1:]] or [1_000, 10_000, 100_000]
    print("   facts       MB   open s   us/fact   x orjson.loads   us/commit")
    for size in sizes:
        log = realistic(size)
        facts = log.seq
        data = log.to_bytes()
        lines = data.split(b"\n")[:-1]
        parse = best(lambda lines=lines: [orjson.loads(line) for line in lines])  # type: ignore[misc]
        opening = best(lambda data=data: load_ledger(data))  # type: ignore[misc]
        ledger = load_ledger(data)
        assert isinstance(ledger, Ledger)
        commit = commit_seconds(ledger, log)
        print(
            f"{facts:8d} {len(data) / 1e6:8.1f} {opening:8.3f} {opening / facts * 1e6:9.1f}"
            f" {opening / parse:16.2f} {commit * 1e6:11.1f}"
        )


if __name__ == "__main__":
    main()
