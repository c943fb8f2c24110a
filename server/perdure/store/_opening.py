"""Creating and opening a session file: everything before the first commit. Blocking."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from perdure.core.reducer.ledger import Ledger
from perdure.errors import SessionCorrupt, SessionNotFound, StoreError
from perdure.store._collection import collection_paused
from perdure.store._fs import make_private_directories, restrict, write_all
from perdure.store._log import LogFile, storage_error
from perdure.store._seal_file import SealFile
from perdure.store._sealed_log import SealedLog
from perdure.store._snapshot_file import read_snapshot
from perdure.store.lock import WriterLock, acquire
from perdure.store.options import StoreOptions
from perdure.store.places import session_id_in
from perdure.store.repair import TornTail, corruption_error, cut, has_evidence, interrupted_cut
from perdure.store.seal import Seal, Sidecar, parse_sidecar
from perdure.store.snapshot import resume, sidecar_of
from perdure.store.verdict import Damaged, Sound, Torn, Verdict, judge


@dataclass(frozen=True, slots=True)
class Opened:
    """A locked session and what its bytes mean; a snapshot covers the first ``covered`` bytes."""

    path: Path
    log: SealedLog
    ledger: Ledger
    torn_tail: TornTail | None
    covered: int = 0


def create_log(path: Path, lines: bytes, options: StoreOptions) -> Opened:
    """Create and lock ``path`` with a header and what may follow it, sealed.

    Log, sidecar and all new directories are durable on return. Raises ``StorageFull`` or
    ``StorageFailed``; then the files are gone again.
    """
    files = options.files
    sound = _require_sound(path, lines)
    try:
        make_private_directories(files, path.parent)
        with ExitStack() as undo:
            fd = files.create(path)
            undo.callback(path.unlink)
            lock = acquire(files, fd, path, now=options.now)
            undo.callback(lock.release)
            write_all(files, fd, lines)
            files.sync(fd)
            seal = SealFile(files, path, level=options.level)
            undo.callback(seal.discard)
            seal.place = _place(sound, durable=sound.ledger.state.next_seq - 1)
            seal.begin()
            undo.pop_all()
    except OSError as error:
        raise storage_error(error, "The session could not be created") from error
    log = SealedLog(LogFile(files, lock, len(lines)), seal)
    return Opened(path=path, log=log, ledger=sound.ledger, torn_tail=None)


def open_log(path: Path, options: StoreOptions) -> Opened:
    """Lock, judge and repair ``path``; raises as ``SessionStore.open``."""
    files = options.files
    try:
        fd = files.open(path)
        lock = acquire(files, fd, path, now=options.now)
        with ExitStack() as undo:
            undo.callback(lock.release)
            restrict(fd)
            seal = SealFile(files, path, level=options.level)
            undo.callback(seal.close)
            with collection_paused():
                opened = _opened(path, lock, seal, options)
            undo.pop_all()
        return opened
    except FileNotFoundError as error:
        raise SessionNotFound(f"Session not found: {path}.") from error
    except OSError as error:
        raise storage_error(error, f"{path.name} could not be opened") from error


def _opened(path: Path, lock: WriterLock, seal: SealFile, options: StoreOptions) -> Opened:
    """Judge the locked file by its sidecar, and cut what is torn."""
    files = options.files
    content = seal.load()
    data = files.read(lock.fd)
    sidecar, sound = _resumed(path, data, content)
    if sound is not None:
        verdict: Verdict = sound
    else:
        data, verdict = _verdict(path, data, sidecar)
    if content is not None and sidecar is not None:
        seal.follow(sidecar, length=len(content))
    if isinstance(verdict, Damaged):
        raise corruption_error(path, data, verdict)
    ledger = verdict.ledger
    _require_own_name(path, ledger)
    torn_tail = None
    if isinstance(verdict, Torn):
        torn_tail = cut(files, lock.fd, path, data=data, torn=verdict)
        seal.place = _place(verdict, durable=ledger.state.next_seq - 1)
        seal.record(torn_tail.as_record())
    else:
        seal.place = _place(verdict, durable=verdict.durable)
    log = SealedLog(LogFile(files, lock, ledger.state.repaired_length), seal)
    covered = verdict.covered if isinstance(verdict, Sound) else 0
    return Opened(path=path, log=log, ledger=ledger, torn_tail=torn_tail, covered=covered)


def _resumed(path: Path, data: bytes, content: bytes | None) -> tuple[Sidecar | None, Sound | None]:
    """Return the verdict, if a snapshot gives it, and what the sidecar with ``content`` says."""
    snapshot = read_snapshot(path)
    if snapshot is not None and not has_evidence(path, length=len(data)):
        sidecar = None if content is None else sidecar_of(content, snapshot)
        sound = resume(snapshot, data, sidecar)
        if sound is not None:
            return sidecar, sound
    return None if content is None else parse_sidecar(content), None


def _verdict(path: Path, data: bytes, sidecar: Sidecar | None) -> tuple[bytes, Verdict]:
    """Judge ``data``, with the bytes that an interrupted repair has cut off put back."""
    removed = interrupted_cut(path, length=len(data), sidecar=sidecar)
    if removed:
        verdict = judge(data + removed, sidecar)
        if isinstance(verdict, Torn):
            return data + removed, verdict
    return data, judge(data, sidecar)


def _require_sound(path: Path, lines: bytes) -> Sound:
    verdict = judge(lines, None)
    if not isinstance(verdict, Sound):
        raise StoreError(f"{path.name} would not be a session: {verdict.reason}.")
    return verdict


def _require_own_name(path: Path, ledger: Ledger) -> None:
    session_id = ledger.state.header.id
    if session_id != session_id_in(path.name):
        raise SessionCorrupt(
            f"{path.name} holds session {session_id}; give the file back its own name.",
            reason="INVALID_HEADER",
            line=1,
            offset=0,
        )


def _place(verdict: Sound | Torn, *, durable: int) -> Seal:
    state = verdict.ledger.state
    return Seal(
        through=state.next_seq - 1,
        end=state.repaired_length,
        durable=durable,
        chain=verdict.chain,
    )
