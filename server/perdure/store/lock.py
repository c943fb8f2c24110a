"""Who may append: one writer per session file, kept apart by the kernel.

* The lock is ``flock`` on the log's own descriptor, held for the writer's life. The kernel frees
  it when the process ends, however it ends; no file says who may write.
* It is a lock on the inode. So repair works in place, and a locked file must still be the one
  that the path names, with no second name.
* ``S.owner`` says who holds it, for messages only.
* A forked child closes its copy at once: otherwise the lock would outlive the parent in it.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from weakref import WeakSet

from perdure.errors import SessionInUse, StoreError
from perdure.store._fs import Files, open_private, read_regular


class WriterLock:
    """The right to append to one open log. ``held`` turns False on release and in a child."""

    def __init__(self, files: Files, fd: int, owner_file: Path) -> None:
        self.fd = fd
        self.held = True
        self._files = files
        self._owner_file = owner_file

    def release(self) -> None:
        """Close the descriptor and with it give up the lock; harmless when repeated.

        Never fails: on a broken disk the kernel gives up the lock all the same.
        """
        if not self.held:
            return
        self.held = False
        _held_here.discard(self)
        with suppress(OSError):
            self._owner_file.unlink(missing_ok=True)
        with suppress(OSError):
            self._files.close(self.fd)

    def abandon(self) -> None:
        """In a forked child: close the copy of the descriptor; the parent keeps the lock."""
        self.held = False
        self._files.close(self.fd)


def acquire(files: Files, fd: int, path: Path, *, now: Callable[[], int]) -> WriterLock:
    """Lock the open log ``fd`` at ``path``; on failure ``fd`` is closed.

    Raises ``SessionInUse`` with the holder's pid when known, ``StoreError`` when the path is no
    longer this regular file or the file has other names, and ``OSError``.
    """
    owner_file = path.with_suffix(".owner")
    with ExitStack() as undo:
        undo.callback(files.close, fd)
        if not files.lock(fd):
            raise _in_use(path, _owner_pid(owner_file))
        _require_same_file(files, fd, path)
        undo.pop_all()
    _write_owner(owner_file, now())
    lock = WriterLock(files, fd, owner_file)
    _close_in_forked_children()
    _held_here.add(lock)
    return lock


_held_here: WeakSet[WriterLock] = WeakSet()


@cache
def _close_in_forked_children() -> None:
    """Register the fork hook, once per process."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_abandon_all)


def _abandon_all() -> None:
    for lock in list(_held_here):
        lock.abandon()
    _held_here.clear()


def _in_use(path: Path, pid: int | None) -> SessionInUse:
    holder = "another process" if pid is None else f"process {pid}"
    return SessionInUse(f"Session {path.name} is in use by {holder}; close it there.", pid=pid)


def _require_same_file(files: Files, fd: int, path: Path) -> None:
    opened = files.stat(fd)
    named = path.lstat()
    same = (opened.st_dev, opened.st_ino) == (named.st_dev, named.st_ino)
    if not same or not stat.S_ISREG(opened.st_mode) or opened.st_nlink != 1:
        raise StoreError(
            f"Unsafe session path {path}: it must be one regular file with no other name."
        )


def _write_owner(owner_file: Path, started_at: int) -> None:
    """Say who writes. A full disk must not keep anybody from opening: failure is accepted."""
    owner = {"pid": os.getpid(), "bootId": _boot_id(), "startedAt": started_at}
    try:
        with open(open_private(owner_file), "w", encoding="utf-8") as file:
            json.dump(owner, file)
    except OSError:
        return


def _owner_pid(owner_file: Path) -> int | None:
    """Return the pid in ``owner_file`` unless it cannot be that of a running process."""
    try:
        owner = json.loads(read_regular(owner_file))
        pid, boot_id = owner["pid"], owner["bootId"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not isinstance(pid, int) or boot_id != _boot_id() or not _is_running(pid):
        return None
    return pid


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _is_running(pid: int) -> bool:
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
