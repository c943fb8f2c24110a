"""Creating and opening a session file: everything before the first commit. Blocking."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from perdure.core.codec import encode_line
from perdure.core.facts import Header
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt
from perdure.core.reducer.session import load_ledger
from perdure.errors import SessionCorrupt, SessionNotFound
from perdure.store._fs import make_private_directories, restrict, write_all
from perdure.store._log import LogFile, storage_error
from perdure.store.lock import WriterLock, acquire
from perdure.store.options import StoreOptions
from perdure.store.places import session_id_in
from perdure.store.repair import TornTail, corruption_error, cut_torn_tail


@dataclass(frozen=True, slots=True)
class Opened:
    """A locked session and what its bytes mean."""

    path: Path
    log: LogFile
    ledger: Ledger
    torn_tail: TornTail | None


def create_log(path: Path, header: Header, options: StoreOptions) -> Opened:
    """Create and lock ``path`` with its header, durable with all new directories.

    Raises ``StorageFull`` or ``StorageFailed``; then the file is gone again.
    """
    files = options.files
    line = encode_line(header)
    try:
        make_private_directories(files, path.parent)
        with ExitStack() as undo:
            fd = files.create(path)
            undo.callback(path.unlink)
            lock = acquire(files, fd, path, now=options.now)
            undo.callback(lock.release)
            write_all(files, fd, line)
            files.sync(fd)
            files.sync_directory(path.parent)
            undo.pop_all()
    except OSError as error:
        raise storage_error(error, "The session could not be created") from error
    return _opened(path, lock, line, options)


def open_log(path: Path, options: StoreOptions) -> Opened:
    """Lock, reduce and repair ``path``; raises as ``SessionStore.open``."""
    files = options.files
    try:
        fd = files.open(path)
        lock = acquire(files, fd, path, now=options.now)
        with ExitStack() as undo:
            undo.callback(lock.release)
            restrict(fd)
            opened = _opened(path, lock, files.read(fd), options)
            undo.pop_all()
        return opened
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} could not be opened") from error


def _opened(path: Path, lock: WriterLock, data: bytes, options: StoreOptions) -> Opened:
    """Reduce ``data``, the content of the locked file, and cut its torn tail."""
    ledger = load_ledger(data)
    if isinstance(ledger, Corrupt):
        raise corruption_error(path, data, ledger)
    header = ledger.state.header
    if header.id != session_id_in(path.name):
        raise SessionCorrupt(
            f"{path.name} holds session {header.id}; give the file back its own name.",
            reason="INVALID_HEADER",
            line=1,
            offset=0,
        )
    length = ledger.state.repaired_length
    torn_tail = cut_torn_tail(options.files, lock.fd, path, data=data, good_length=length)
    log = LogFile(options.files, lock, length)
    return Opened(path=path, log=log, ledger=ledger, torn_tail=torn_tail)
