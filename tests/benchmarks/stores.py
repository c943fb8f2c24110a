"""Stores to commit to, and what their commits are compared with."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson

from perdure.core.facts import Draft
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.options import system_options
from perdure.store.seal import CHAIN_BYTES, Seal

TEXT = "x" * 1024
LINE = (TEXT + "x" * 180 + "\n").encode()
"""As many bytes as a commit of ``draft`` writes."""


def draft() -> Draft:
    """Return a prompt of a kilobyte that starts nothing."""
    return {
        "kind": "entry",
        "entry": {"type": "message", "message": {"role": "user", "content": TEXT}},
    }


async def new_store(directory: Path, level: Level, *, history: int = 0) -> SessionStore:
    """Create a session of so many facts."""
    store = await SessionStore.create(
        directory,
        cwd="/workspace",
        provider="demo",
        model="demo",
        environment_identity="benchmark",
        options=replace(system_options(), level=level),
    )
    for done in range(0, history, 1000):
        await store.commit([draft()] * min(1000, history - done))
    return store


async def commit_once(store: SessionStore) -> float:
    """Return the seconds of one commit."""
    began = time.perf_counter()
    await store.commit([draft()])
    return time.perf_counter() - began


async def commit_together(store: SessionStore, producers: int) -> float:
    """Return the seconds per commit of many producers at once."""
    began = time.perf_counter()
    await asyncio.gather(*(store.commit([draft()]) for _ in range(producers)))
    return (time.perf_counter() - began) / producers


def bare_write(path: Path, *, sync: bool) -> Callable[[], object]:
    """Return what appends the same bytes and nothing else."""
    fd = _appended(path)
    if not sync:
        return lambda: os.write(fd, LINE)

    def write_and_sync() -> None:
        os.write(fd, LINE)
        os.fdatasync(fd)

    return write_and_sync


def bare_commit(folder: Path) -> Callable[[], object]:
    """Return what no commit can do without, in one function that neither judges nor waits.

    An id and the draft become a line, which is read again; a look at the file, the line, its
    hash, and a seal in a second file.
    """
    options = system_options()
    log, sidecar = (_appended(folder / name) for name in ("log", "sidecar"))
    place = Seal(through=0, end=0, durable=0, chain=bytes(CHAIN_BYTES))

    def commit() -> None:
        nonlocal place
        fact = {"seq": place.through + 1, "id": options.new_id(), "timestamp": options.now()}
        line = orjson.dumps(fact | draft(), option=orjson.OPT_APPEND_NEWLINE)
        orjson.loads(line)
        if os.fstat(log).st_size != place.end:
            raise AssertionError("the file is another")
        os.write(log, line)
        place = place.after(line, through=place.through + 1, durable=0)
        os.write(sidecar, place.encode())

    return commit


def sqlite_insert(path: Path) -> Callable[[], object]:
    """Return what inserts the same bytes into SQLite, WAL, synchronous NORMAL."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=NORMAL")
    database.execute("CREATE TABLE facts (seq INTEGER PRIMARY KEY, line TEXT)")
    text = LINE.decode()
    return lambda: database.execute("INSERT INTO facts (line) VALUES (?)", (text,))


def _appended(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
