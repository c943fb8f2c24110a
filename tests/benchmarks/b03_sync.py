"""B3: a commit under ``full``, beside a write and fdatasync; and many producers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.stores import bare_write, commit_once, commit_together, new_store

from perdure.store._writer_thread import WriterThread

REPETITIONS = 200
PRODUCERS = (4, 16)
GOALS = {4: 0.33, 16: 0.1}
"""Group commit: at most this part of one sync for each."""


def measure(bench: Bench) -> Iterator[Figure]:
    """Compare medians, taken in turns."""
    ms = {name: seconds * 1e3 for name, seconds in asyncio.run(_medians(bench)).items()}
    yield Figure(
        measure="B3",
        what="commit, full",
        value=ms["full"],
        unit="ms",
        beside="write, fdatasync",
        beside_value=ms["bare"],
        at_most=1.1,
    )
    yield Figure(
        measure="B3",
        what="commit, full",
        value=ms["full"],
        unit="ms",
        beside="the same by a thread",
        beside_value=ms["thread"],
    )
    for producers in PRODUCERS:
        yield Figure(
            measure="B3",
            what=f"each of {producers} producers' commits",
            value=ms[str(producers)],
            unit="ms",
            beside="write, fdatasync for each",
            beside_value=ms["bare"],
            at_most=GOALS[producers],
        )


async def _medians(bench: Bench) -> dict[str, float]:
    folder = bench.folder("sync")
    store = await new_store(folder, "full")
    write = bare_write(folder / "bare", sync=True)
    thread = WriterThread()
    names = ("bare", "thread", "full", *map(str, PRODUCERS))
    samples: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(bench.scaled(REPETITIONS)):
        began = perf_counter()
        write()
        samples["bare"].append(perf_counter() - began)
        began = perf_counter()
        await thread.do(write)
        samples["thread"].append(perf_counter() - began)
        samples["full"].append(await commit_once(store))
        for producers in PRODUCERS:
            samples[str(producers)].append(await commit_together(store, producers))
    await store.close()
    thread.stop()
    return {name: median(values) for name, values in samples.items()}
