"""B2: a commit under ``process``, beside bare writes, SQLite, no seals, and a long history."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from statistics import median
from time import perf_counter

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.stores import bare_commit, bare_write, commit_once, new_store, sqlite_insert

from perdure.store.jsonl import SessionStore

REPETITIONS = 2000
SHORT = 100
GOALS = {
    "os.write": 5,
    "SQLite WAL NORMAL insert": 1,
    "without seals": 1.15,
    "its JSON, hash, system calls": None,
}


def measure(bench: Bench) -> Iterator[Figure]:
    """Compare the medians of commits and of what they are compared with, done in turns."""
    long = bench.scaled(100_000)
    us = {name: seconds * 1e6 for name, seconds in asyncio.run(_medians(bench, long)).items()}
    for beside, goal in GOALS.items():
        yield Figure(
            measure="B2",
            what="commit, process",
            value=us["short"],
            unit="us",
            beside=beside,
            beside_value=us[beside],
            at_most=goal,
        )
    yield Figure(
        measure="B2",
        what=f"commit after {long} facts",
        value=us["long"],
        unit="us",
        beside=f"after {SHORT}",
        beside_value=us["short"],
        at_most=1.2,
    )


async def _medians(bench: Bench, long: int) -> dict[str, float]:
    folder = bench.folder("commit")
    bare = {
        "os.write": bare_write(folder / "bare", sync=False),
        "SQLite WAL NORMAL insert": sqlite_insert(folder / "facts.db"),
        "its JSON, hash, system calls": bare_commit(folder),
    }
    stores = {
        "short": await new_store(folder / "short", "process", history=SHORT),
        "long": await new_store(folder / "long", "process", history=long),
        "without seals": _unsealed(await new_store(folder / "unsealed", "process", history=SHORT)),
    }
    samples: dict[str, list[float]] = {name: [] for name in (*bare, *stores)}
    for _ in range(bench.scaled(REPETITIONS)):
        for name, action in bare.items():
            began = perf_counter()
            action()
            samples[name].append(perf_counter() - began)
        for name in random.sample(sorted(stores), len(stores)):
            samples[name].append(await commit_once(stores[name]))
    for store in stores.values():
        await store.close()
    return {name: median(values) for name, values in samples.items()}


def _unsealed(store: SessionStore) -> SessionStore:
    """Return the store, whose transactions get no seal from here on."""
    store._log._seal.add = lambda transactions, *, synced: None  # type: ignore[method-assign]
    return store
