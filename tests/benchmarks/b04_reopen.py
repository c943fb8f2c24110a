"""B4: opening a session with a snapshot beside it and without, beside hashing its bytes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.sessions import sealed_session
from tests.benchmarks.timing import interleaved
from tests.unit.store.sessions import make_options

from perdure.core.reducer.ledger import Ledger
from perdure.store._opening import open_log
from perdure.store._snapshot_file import snapshot_path, write_snapshot


def measure(bench: Bench) -> Iterator[Figure]:
    """Open one session in turns with its snapshot, and with that out of the way.

    By the clock on the wall: threads share the hash.
    """
    facts = bench.scaled(100_000)
    path = sealed_session(bench.folder("reopen"), facts)
    _take_snapshot(path)
    if _open(path, snapshot=True) != _open(path, snapshot=False):
        raise AssertionError("with a snapshot the session means something else")
    times = interleaved(
        {
            "with": lambda: _open(path, snapshot=True),
            "without": lambda: _open(path, snapshot=False),
            "hash": lambda: sha256(path.read_bytes()).digest(),
        },
        rounds=5,
        clock=time.perf_counter,
    )
    yield Figure(
        measure="B4",
        what=f"open {facts} facts, reduced in full",
        value=times["without"] * 1e3,
        unit="ms",
        beside="from a snapshot",
        beside_value=times["with"] * 1e3,
        at_least=10,
    )
    yield Figure(
        measure="B4",
        what="open from a snapshot",
        value=times["with"] * 1e3,
        unit="ms",
        beside="read, SHA-256 of the file",
        beside_value=times["hash"] * 1e3,
        at_most=1.2,
    )


def _take_snapshot(path: Path) -> None:
    options = make_options()
    opened = open_log(path, options)
    place, size = opened.log.place, opened.log.sidecar_size
    opened.log.close()
    write_snapshot(options.files, path, opened.ledger, place, sidecar=size, level=options.level)


def _open(path: Path, *, snapshot: bool) -> Ledger:
    kept = snapshot_path(path)
    aside = kept.with_suffix(".aside")
    if not snapshot:
        kept.rename(aside)
    opened = open_log(path, make_options())
    opened.log.close()
    if not snapshot:
        aside.rename(kept)
    return opened.ledger
