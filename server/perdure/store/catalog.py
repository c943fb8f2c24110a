"""Which sessions there are: listing and finding. Nothing here takes a lock or writes a log."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

import orjson

from perdure.core.ids import is_uuid7
from perdure.core.state import SessionState
from perdure.errors import SessionNotFound, StoreError
from perdure.json_types import JsonObject
from perdure.store._log import storage_error
from perdure.store.follow import Revision, read_session, revision_of
from perdure.store.places import session_id_in, unusable
from perdure.store.titles import read_title
from perdure.store.verdict import Damaged

TITLE_LENGTH = 80
_PEEK = 1 << 20
"""Bytes of a line that are looked at for the listing; a longer first prompt has no title."""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """What a list shows, from the first two lines only; times are ms since the epoch.

    ``title`` is the user's, else the first line of the first prompt; ``readable`` is False when
    line 1 is no header.
    """

    id: str
    path: Path
    title: str
    created_at: int
    updated_at: int
    size: int
    readable: bool


class Catalog:
    """The sessions of one directory. Reduced states are kept until their file changes."""

    def __init__(self, sessions: Path) -> None:
        self._sessions = sessions
        self._reduced: dict[Path, tuple[Revision, SessionState | Damaged]] = {}

    def list(self) -> list[SessionSummary]:
        """Return all sessions, last written first. A directory that is not there is empty.

        Raises ``StorageFailed``.
        """
        summaries = [_summary(self._sessions / name) for name in reversed(self._names())]
        found = [summary for summary in summaries if summary is not None]
        return sorted(found, key=lambda summary: summary.updated_at, reverse=True)

    def reduce(self, path: Path) -> SessionState | Damaged:
        """Return the state on disk; the whole file is read only when it has changed.

        Raises ``SessionNotFound`` and ``StorageFailed``.
        """
        revision = revision_of(path)
        known = self._reduced.get(path)
        if known is not None and known[0] == revision:
            return known[1]
        state = read_session(path)
        self._reduced[path] = revision, state
        return state

    def find(self, session_id: str) -> Path:
        """Return the file of a session (section 20, "open").

        Raises ``SessionNotFound``, and ``StoreError`` for an id that is none, for two files of
        one id, for a path that is not one regular file of this directory, and for a directory
        that cannot be read.
        """
        if not is_uuid7(session_id):
            raise StoreError(f"Invalid session ID {session_id!r}.", code="invalid_params")
        names = [name for name in self._names() if session_id_in(name) == session_id]
        found = [self._sessions / name for name in names]
        if not found:
            raise SessionNotFound(f"Session not found: {session_id}.")
        if len(found) > 1:
            raise StoreError(f"Duplicate session ID {session_id}: keep one of its {found}.")
        _require_safe(found[0], self._sessions)
        return found[0]

    def _names(self) -> tuple[str, ...]:
        try:
            return tuple(sorted(os.listdir(self._sessions)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise unusable(error, f"{self._sessions} cannot be read") from error


def _require_safe(path: Path, sessions: Path) -> None:
    try:
        status = path.lstat()
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    if (
        not stat.S_ISREG(status.st_mode)
        or status.st_nlink != 1
        or path.resolve().parent != sessions.resolve()
    ):
        raise StoreError(f"Unsafe session path {path}: it must be one regular file of its own.")


def _summary(path: Path) -> SessionSummary | None:
    session_id = session_id_in(path.name)
    try:
        if session_id is None or not stat.S_ISREG(path.lstat().st_mode):
            return None
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            first, second = file.readline(_PEEK), file.readline(_PEEK)
    except OSError:
        return None
    if _was_never_created(path, first):
        return None
    header = _facts(first)
    created_at = header[0].get("createdAt") if header else None
    return SessionSummary(
        id=session_id,
        path=path,
        title=read_title(path) or _title(second),
        created_at=created_at if isinstance(created_at, int) else 0,
        updated_at=status.st_mtime_ns // 1_000_000,
        size=status.st_size,
        readable=bool(header) and header[0].get("kind") == "header",
    )


def _was_never_created(path: Path, first: bytes) -> bool:
    """Return whether this is what a crash left of a session before its header was durable.

    Then nobody was told of the session yet; the sidecar begins after the header.
    """
    is_complete = first.endswith(b"\n") or len(first) == _PEEK
    return not is_complete and not path.with_suffix(".seal").exists()


def _title(line: bytes) -> str:
    for fact in _facts(line):
        match fact:
            case {"entry": {"message": {"role": "user", "content": str(content)}}}:
                lines = content.strip().split("\n", 1)
                return lines[0][:TITLE_LENGTH]
            case _:
                continue
    return ""


def _facts(line: bytes) -> list[JsonObject]:
    """Return the objects of one complete line, none when it is not JSON."""
    try:
        value = orjson.loads(line) if line.endswith(b"\n") else None
    except orjson.JSONDecodeError:
        return []
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, dict)]
