"""B1: reducing a session, beside reading the file and parsing its lines with orjson.

The collector of cycles is paused for both, as the store does when it opens a session: at 100,000
facts it takes more than half of the time of mere parsing, and would make the bound look slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import orjson
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.sessions import realistic_bytes
from tests.benchmarks.timing import interleaved

from perdure.core.reducer import reduce_session
from perdure.store._collection import collection_paused

SIZES = (1_000, 10_000, 100_000)


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure sessions of three sizes, and how the time grows with them."""
    folder = bench.folder("reduce")
    seconds: dict[int, float] = {}
    for facts in SIZES[:2] if bench.quick else SIZES:
        path = folder / f"{facts}.jsonl"
        path.write_bytes(realistic_bytes(facts))
        times = interleaved(
            {"parse": partial(_parse, path), "reduce": partial(_reduce, path)},
            rounds=2 if facts > 10_000 else 5,
        )
        seconds[facts] = times["reduce"]
        yield Figure(
            measure="B1",
            what=f"reduce {facts} facts, {path.stat().st_size / 1e6:.0f} MB",
            value=times["reduce"] * 1e3,
            unit="ms",
            beside="read, orjson.loads of each line",
            beside_value=times["parse"] * 1e3,
            at_most=4,
        )
    small, large = sorted(seconds)[-2:]
    yield Figure(
        measure="B1",
        what=f"growth, {large} facts",
        value=seconds[large] * 1e3,
        unit="ms",
        beside=f"{small} facts",
        beside_value=seconds[small] * 1e3,
        at_most=11,
    )


def _parse(path: Path) -> object:
    with collection_paused():
        return [orjson.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def _reduce(path: Path) -> object:
    with collection_paused():
        return reduce_session(path.read_bytes())
