"""What a commit costs: ``python tests/benchmarks/bench_commit.py [DIRECTORY]``.

All figures of one run are measured in turns on the same file system, so that their ratios hold.
The transaction is a tool result of 1 KiB; the median of all repetitions counts.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from perdure.core.facts import Draft
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.options import system_options

REPETITIONS = 2000
SYNCED_REPETITIONS = 100
PRODUCERS = 64
TEXT = "x" * 1024
BASES = ["os.write", "sqlite WAL NORMAL", "process without seals", "process after 1000 facts"]
HISTORIES = (1_000, 100_000)


def draft() -> Draft:
    return {
        "kind": "entry",
        "entry": {"type": "message", "message": {"role": "user", "content": TEXT}},
    }


async def new_store(directory: Path, level: Level, *, history: int = 0) -> SessionStore:
    store = await SessionStore.create(
        directory / f"{level}-{history}",
        cwd="/workspace",
        provider="demo",
        model="demo",
        environment_identity="benchmark",
        options=replace(system_options(), level=level),
    )
    for _ in range(history // 1000):
        await store.commit([draft()] * 1000)
    return store


async def new_unsealed_store(directory: Path, level: Level) -> SessionStore:
    """Return a store whose transactions get no seal, to tell what seals cost."""
    store = await new_store(directory / "unsealed", level)
    seal = store._log._seal
    seal.add = lambda transactions, *, synced: None  # type: ignore[method-assign]
    return store


async def commit_once(store: SessionStore) -> float:
    started = time.perf_counter()
    await store.commit([draft()])
    return time.perf_counter() - started


async def commit_together(store: SessionStore) -> float:
    """Return the seconds per commit of many producers at once."""
    started = time.perf_counter()
    await asyncio.gather(*(store.commit([draft()]) for _ in range(PRODUCERS)))
    return (time.perf_counter() - started) / PRODUCERS


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def bare_write(directory: Path, *, sync: bool) -> Callable[[], object]:
    fd = os.open(directory / f"bare-{sync}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    line = (TEXT + "x" * 180 + "\n").encode()
    if not sync:
        return lambda: os.write(fd, line)

    def write_and_sync() -> None:
        os.write(fd, line)
        os.fdatasync(fd)

    return write_and_sync


def sqlite_insert(directory: Path) -> Callable[[], object]:
    database = sqlite3.connect(directory / "facts.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE facts (seq INTEGER PRIMARY KEY, line TEXT)")
    return lambda: database.execute("INSERT INTO facts (line) VALUES (?)", (TEXT + "x" * 180,))


async def unsynced(directory: Path) -> dict[str, float]:
    stores = {
        "process": await new_store(directory, "process"),
        "process without seals": await new_unsealed_store(directory, "process"),
        "barrier": await new_store(directory, "barrier"),
    }
    for history in HISTORIES:
        name = f"process after {history} facts"
        stores[name] = await new_store(directory, "process", history=history)
    write = bare_write(directory, sync=False)
    insert = sqlite_insert(directory)
    samples: dict[str, list[float]] = {}
    for _ in range(REPETITIONS):
        samples.setdefault("os.write", []).append(timed(write))
        samples.setdefault("sqlite WAL NORMAL", []).append(timed(insert))
        for name in random.sample(sorted(stores), len(stores)):
            samples.setdefault(name, []).append(await commit_once(stores[name]))
    for store in stores.values():
        await store.close()
    return {name: median(values) for name, values in samples.items()}


async def synced(directory: Path) -> dict[str, float]:
    store = await new_store(directory, "full")
    write = bare_write(directory, sync=True)
    samples: dict[str, list[float]] = {}
    for _ in range(SYNCED_REPETITIONS):
        samples.setdefault("write and fdatasync", []).append(timed(write))
        samples.setdefault("full", []).append(await commit_once(store))
    for _ in range(SYNCED_REPETITIONS):
        samples.setdefault(f"full, {PRODUCERS} producers", []).append(await commit_together(store))
    await store.close()
    return {name: median(values) for name, values in samples.items()}


def show(title: str, figures: dict[str, float], bases: list[str]) -> None:
    print(f"{title:28}{'us':>10}" + "".join(f"{'/ ' + base:>24}" for base in bases))
    for name, seconds in figures.items():
        ratios = "".join(f"{seconds / figures[base]:>24.2f}" for base in bases)
        print(f"{name:28}{seconds * 1e6:>10.1f}{ratios}")
    print()


async def main(place: str | None) -> None:
    with tempfile.TemporaryDirectory(dir=place) as name:
        directory = Path(name)
        figures = await unsynced(directory)
        show("written", figures, BASES)
        show("synced", await synced(directory), ["write and fdatasync", "full"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
