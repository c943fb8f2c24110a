"""What a store needs of the world: clock, ids, file operations, and how durable it must be."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from perdure.store._fs import Files, SystemFiles
from perdure.store._uuid7 import Uuid7
from perdure.store.levels import Level


@dataclass(frozen=True, slots=True)
class SnapshotRules:
    """When a snapshot is worth it.

    An operation ended at least ``pause_seconds`` ago and ``added`` bytes have no snapshot, or the
    session is closed and ``added_on_closing`` bytes have none. A snapshot costs as much as the
    history, so the bytes without one must also be its ``share`` th part.
    """

    added: int = 4 * 1024 * 1024
    added_on_closing: int = 512 * 1024
    share: int = 16
    pause_seconds: float = 2.0


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """``now`` gives ms since the epoch, ``new_id`` a fresh UUIDv7."""

    files: Files
    now: Callable[[], int]
    new_id: Callable[[], str]
    level: Level = "barrier"
    snapshots: SnapshotRules = SnapshotRules()


def system_options(*, level: Level = "barrier") -> StoreOptions:
    """Return the real clock, random source and file system."""
    return StoreOptions(
        files=SystemFiles(),
        now=system_now,
        new_id=Uuid7(now=system_now, random_bits=secrets.randbits),
        level=level,
    )


def system_now() -> int:
    """Return ms since the epoch."""
    return time.time_ns() // 1_000_000
