"""The open log: append or leave no trace.

* The file ends where this writer left it, or nothing is written: foreign bytes end the writer.
  So does deleting the file: what is written then would be gone with the process.
* A write that fails is cut back to the last whole line, so nothing ever follows a partial one.
* Where that cannot be told for sure (cutting back failed, any sync failed), the log is poisoned:
  the outcome of the last append is unknown, and only reopening, which reads the disk again, can
  tell. A sync is never tried twice: the second would succeed without having written anything.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from perdure.errors import StorageFailed, StorageFull, StoreError
from perdure.store._fs import Files, write_all
from perdure.store.lock import WriterLock

RESERVE = 256 * 1024
_BLOCK = 512
"""Bytes that ``st_blocks`` counts in, whatever the file system's own blocks are."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


class LogFile:
    """A locked session file of ``size`` bytes that ends with a line feed."""

    def __init__(self, files: Files, lock: WriterLock, size: int) -> None:
        self.size = size
        self._files = files
        self._lock = lock
        self._reserved_to = 0
        self._poison: str | None = None

    def append(self, lines: bytes, *, sync: bool) -> None:
        """Write whole lines with one write, and sync them when asked.

        Raises ``StorageFull`` or ``StorageFailed``. Unless the message says that the outcome is
        unknown, the file is as before.
        """
        self._require_usable()
        self._require_own_file()
        if self._reserved_to - self.size <= RESERVE // 2:
            self._renew_reserve()
        try:
            write_all(self._files, self._lock.fd, lines)
        except OSError as error:
            self._take_back(error)
            raise storage_error(error, "Nothing was written to the session") from error
        if sync:
            self._sync()
        self.size += len(lines)

    def close(self) -> None:
        """Give back the lock and reserved blocks, also those that a killed writer reserved.

        Harmless when repeated.
        """
        if not self._lock.held:
            return
        with suppress(OSError):
            status = self._files.stat(self._lock.fd)
            reserved = self._reserved_to or _allocated(status) - status.st_size >= RESERVE // 2
            if reserved and not self._poison and status.st_size == self.size:
                self._files.give_back(self._lock.fd, self.size)
        self._lock.release()

    def _require_usable(self) -> None:
        if self._poison:
            raise StorageFailed(self._poison)
        if not self._lock.held:
            raise StorageFailed("The session is not open for writing in this process; open it.")

    def _require_own_file(self) -> None:
        try:
            status = self._files.stat(self._lock.fd)
        except OSError as error:
            raise storage_error(error, "Nothing was written to the session") from error
        if status.st_nlink == 0:
            self._poison = "Something else deleted the session's file. Nothing was written."
        elif status.st_size != self.size:
            self._poison = (
                f"Something else wrote to the session: it has {status.st_size} bytes instead of "
                f"{self.size}. Nothing was written; reopen the session."
            )
        else:
            return
        raise StorageFailed(self._poison)

    def _renew_reserve(self) -> None:
        """Keep blocks ahead, so that an abort can still be written when the disk is full."""
        if self._files.reserve(self._lock.fd, self.size, RESERVE):
            self._reserved_to = self.size + RESERVE

    def _take_back(self, cause: OSError) -> None:
        try:
            self._files.truncate(self._lock.fd, self.size)
            self._files.sync(self._lock.fd)
        except OSError as error:
            raise self._outcome_unknown(cause) from error
        self._reserved_to = 0

    def _sync(self) -> None:
        try:
            self._files.sync(self._lock.fd)
        except OSError as error:
            raise self._outcome_unknown(error) from error

    def _outcome_unknown(self, error: OSError) -> StorageFailed:
        self._poison = (
            f"The outcome of the last write to the session is unknown ({error.strerror}); "
            "reopen the session to see what is on disk."
        )
        return StorageFailed(self._poison)


def storage_error(error: OSError, effect: str) -> StoreError:
    """Turn an operating system's error into ours; ``effect`` says what it means for the file."""
    if error.errno in _NO_ROOM:
        return StorageFull(f"{effect}: the disk is full. Free some space and try again.")
    return StorageFailed(f"{effect}: {error.strerror or error}.")


def _allocated(status: os.stat_result) -> int:
    """Return how many bytes the file takes on the disk, 0 where that is not known."""
    return getattr(status, "st_blocks", 0) * _BLOCK
