"""Holding a session that is not open here, for what is done to it as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perdure.errors import SessionNotFound
from perdure.store._log import storage_error
from perdure.store.lock import acquire
from perdure.store.options import StoreOptions


@contextmanager
def exclusively(session: Path, options: StoreOptions) -> Iterator[None]:
    """Hold the writer's lock without reading or repairing the log.

    Raises ``SessionInUse``, ``SessionNotFound`` and ``StorageFailed``.
    """
    try:
        fd = options.files.open(session)
        lock = acquire(options.files, fd, session, now=options.now)
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {session}.") from error
    except OSError as error:
        raise storage_error(error, f"{session.name} could not be opened") from error
    try:
        yield
    finally:
        lock.release()
