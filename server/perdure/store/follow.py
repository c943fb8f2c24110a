"""Reading a session that another process may be writing: no lock, no repair, no byte changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perdure.core.state import SessionState
from perdure.errors import SessionNotFound
from perdure.store._collection import collection_paused
from perdure.store._fs import read_regular
from perdure.store._log import storage_error
from perdure.store._seal_file import seal_path
from perdure.store._snapshot_file import read_snapshot
from perdure.store.seal import parse_sidecar
from perdure.store.snapshot import judge_from
from perdure.store.verdict import Damaged, Verdict, judge


@dataclass(frozen=True, slots=True)
class Revision:
    """Changes whenever the file is written; cheap to take and to compare."""

    inode: int
    size: int
    modified_ns: int


def revision_of(path: Path) -> Revision:
    """Return the file's revision; raises ``SessionNotFound`` and ``StorageFailed``."""
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    return Revision(inode=status.st_ino, size=status.st_size, modified_ns=status.st_mtime_ns)


def read_session(path: Path) -> SessionState | Damaged:
    """Reduce the complete lines on disk now; a torn end is ignored.

    Raises ``SessionNotFound`` and ``StorageFailed``.
    """
    with collection_paused():
        verdict = judge_from(read_snapshot(path), *_read(path))
    return verdict if isinstance(verdict, Damaged) else verdict.ledger.state


def inspect(path: Path) -> tuple[bytes, Verdict]:
    """Return the content of a log and the verdict on it.

    The sidecar is read first: it never leads, so a writer at work does not look like damage.
    Raises ``SessionNotFound`` and ``StorageFailed``.
    """
    data, content = _read(path)
    return data, judge(data, None if content is None else parse_sidecar(content))


def _read(path: Path) -> tuple[bytes, bytes | None]:
    """Return the contents of a log and of its sidecar, the sidecar read first."""
    try:
        seals = _read_if_there(seal_path(path))
        return path.read_bytes(), seals
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error


def _read_if_there(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None
