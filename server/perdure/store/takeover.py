"""Asking whoever holds a session to let go of it: the file ``S.takeover`` beside the log.

The request is made on purpose, by ``perdure.takeOver``; it says who asks and when. It is void when
the one who asks no longer waits, so that what a killed process leaves behind does no harm. Who may
write is still decided by the kernel's lock alone: the request only asks.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from perdure.errors import SessionNotFound
from perdure.store._fs import Files, open_private, read_regular
from perdure.store._log import storage_error

PATIENCE_MS = 3_000
"""How long the one who asks waits."""


@dataclass(frozen=True, slots=True)
class Request:
    """``pid`` asks for a session; ``asked_at`` is ms since the epoch."""

    pid: int
    asked_at: int


def ask(session: Path, request: Request) -> None:
    """Leave a request, in place of an earlier one. Raises ``StorageFull`` or ``StorageFailed``."""
    file = _file(session)
    unfinished = file.with_suffix(f".takeover-{request.pid}")
    try:
        with open(open_private(unfinished), "w", encoding="ascii") as output:
            json.dump({"pid": request.pid, "askedAt": request.asked_at}, output)
        unfinished.replace(file)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise storage_error(error, "The request could not be left beside the session") from error


def withdraw(session: Path, request: Request) -> None:
    """Take a request away, unless another process has asked meanwhile.

    One that cannot be taken away becomes void by itself.
    """
    if _read(session) == request:
        with suppress(OSError):
            _file(session).unlink(missing_ok=True)


def pending(session: Path, *, now: int) -> Request | None:
    """Return the request that somebody waits for, None where there is none."""
    request = _read(session)
    return request if request and 0 <= now - request.asked_at <= PATIENCE_MS else None


def is_held(files: Files, session: Path) -> bool:
    """Return whether a process holds the session's lock; changes nothing.

    Raises ``SessionNotFound`` and other ``StoreError``.
    """
    try:
        descriptor = files.open(session)
        try:
            return not files.lock(descriptor)
        finally:
            files.close(descriptor)
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {session}.") from error
    except OSError as error:
        raise storage_error(error, f"{session.name} cannot be read") from error


def _file(session: Path) -> Path:
    return session.with_suffix(".takeover")


def _read(session: Path) -> Request | None:
    try:
        value = json.loads(read_regular(_file(session)))
        pid, asked_at = value["pid"], value["askedAt"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Request(pid, asked_at) if isinstance(pid, int) and isinstance(asked_at, int) else None
