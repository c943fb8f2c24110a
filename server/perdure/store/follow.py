"""Reading a session that another process may be writing: no lock, no repair, no byte changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.session import load_ledger
from perdure.core.state import SessionState
from perdure.errors import SessionNotFound
from perdure.store._log import storage_error


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


def read_session(path: Path) -> SessionState | Corrupt:
    """Reduce the complete lines on disk now; an unfinished last line is ignored.

    Raises ``SessionNotFound`` and ``StorageFailed``.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} cannot be read") from error
    ledger = load_ledger(data)
    return ledger if isinstance(ledger, Corrupt) else ledger.state
