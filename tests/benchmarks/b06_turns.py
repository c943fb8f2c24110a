"""B6: the time between the model's answer and the next request, over many tool turns."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import gaps, lab, turns

TURNS = 50
MANY = 2000


def measure(bench: Bench) -> Iterator[Figure]:
    """Let a run call ``read``, another ``bash``, and a third ``read`` very often."""
    for tool, goal in (("read", 5), ("bash", 10)):
        found = asyncio.run(_gaps(bench.folder(f"turns-{tool}"), TURNS, tool))
        yield Figure(
            measure="B6",
            what=f"answer to next request, {tool}, median",
            value=median(found),
            unit="ms",
            at_most=goal,
        )
    many = bench.scaled(MANY)
    found = asyncio.run(_gaps(bench.folder("turns-many"), many, "read"))
    yield Figure(
        measure="B6",
        what=f"last {TURNS} of {many} turns, median",
        value=median(found[-TURNS:]),
        unit="ms",
        beside=f"first {TURNS}",
        beside_value=median(found[:TURNS]),
        at_most=1.2,
    )


async def _gaps(home: Path, count: int, tool: str) -> list[float]:
    async with lab(home, turns(count, tool=tool)) as work:
        for number in range(2):
            (work.folder / f"file{number}.txt").write_text("a line\n" * 20)
        await work.talk()
        found = gaps(work.timeline)
    if len(found) != count:
        raise AssertionError(f"{len(found)} of {count} turns were made")
    return found
