"""The one seam for file operations: everything the store does to a disk goes through ``Files``.

The real implementation is ``SystemFiles``; tests put one between that fails on purpose.
All methods raise ``OSError`` as the operating system gives it; nothing is retried here.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Protocol

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

_SAFE_FLAGS = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
"""No link is followed, no end of a FIFO waited for, nothing handed on to a child."""

_LOG_FLAGS = os.O_RDWR | os.O_APPEND | _SAFE_FLAGS
_FALLOC_FL_KEEP_SIZE = 1
_WINDOWS_LOCK_OFFSET = 2**31 - 2
"""A byte that no log reaches; ``msvcrt.locking`` cannot name one further out."""


class Files(Protocol):
    """What the store asks of the operating system. Lengths and offsets are bytes."""

    def create(self, path: Path) -> int:
        """Create ``path`` 0600 for appending; ``FileExistsError`` when it is there."""

    def open(self, path: Path) -> int:
        """Open ``path`` for reading and appending; all but a regular file is refused."""

    def read(self, fd: int) -> bytes:
        """Return the whole content."""

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """Append; may write less than asked and returns how much it wrote."""

    def truncate(self, fd: int, length: int) -> None:
        """Cut the file to ``length``."""

    def sync(self, fd: int) -> None:
        """Return when content and size are on stable storage."""

    def sync_directory(self, path: Path) -> None:
        """Return when the names in ``path`` are on stable storage."""

    def reserve(self, fd: int, offset: int, length: int) -> bool:
        """Reserve blocks without changing the size; False where that cannot be done."""

    def give_back(self, fd: int, length: int) -> None:
        """Free what is reserved behind ``length``, which is the size; that is no modification."""

    def lock(self, fd: int) -> bool:
        """Take the exclusive lock of the open file; False when another holds it."""

    def stat(self, fd: int) -> os.stat_result:
        """Describe the open file as the file system sees it now."""

    def close(self, fd: int) -> None:
        """Close; that also gives up the lock."""


class SystemFiles:
    """``Files`` on the real operating system."""

    def create(self, path: Path) -> int:
        return os.open(path, _LOG_FLAGS | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)

    def open(self, path: Path) -> int:
        return _regular(os.open(path, _LOG_FLAGS), path)

    def read(self, fd: int) -> bytes:
        os.lseek(fd, 0, os.SEEK_SET)
        with open(fd, "rb", buffering=0, closefd=False) as file:
            return file.read()

    def write(self, fd: int, data: bytes | memoryview) -> int:
        return os.write(fd, data)

    def truncate(self, fd: int, length: int) -> None:
        os.ftruncate(fd, length)

    def sync(self, fd: int) -> None:
        if sys.platform == "darwin":
            import fcntl

            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
        elif hasattr(os, "fdatasync"):
            os.fdatasync(fd)
        else:
            os.fsync(fd)

    def sync_directory(self, path: Path) -> None:
        if sys.platform == "win32":
            return
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def reserve(self, fd: int, offset: int, length: int) -> bool:
        fallocate = _fallocate()
        return fallocate is not None and fallocate(fd, _FALLOC_FL_KEEP_SIZE, offset, length) == 0

    def give_back(self, fd: int, length: int) -> None:
        status = os.fstat(fd)
        os.ftruncate(fd, length)
        os.utime(fd, ns=(status.st_atime_ns, status.st_mtime_ns))

    def lock(self, fd: int) -> bool:
        try:
            _lock_exclusively(fd)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
                return False
            raise
        return True

    def stat(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def close(self, fd: int) -> None:
        os.close(fd)


def read_regular(path: Path, limit: int = -1) -> bytes:
    """Return the content of a file of ours, up to ``limit`` bytes; never waits for anybody.

    Raises ``OSError``, also for a symbolic link and for all else that is no regular file.
    """
    fd = _regular(os.open(path, os.O_RDONLY | _SAFE_FLAGS), path)
    with open(fd, "rb") as file:
        return file.read(limit)


def open_private(path: Path) -> int:
    """Create ``path`` 0600, or empty it, for writing. Raises ``OSError`` as ``read_regular``."""
    fd = _regular(os.open(path, os.O_WRONLY | os.O_CREAT | _SAFE_FLAGS, PRIVATE_FILE), path)
    os.ftruncate(fd, 0)
    return fd


def restrict(fd: int) -> None:
    """Set the mode of an open file to 0600, where modes exist."""
    if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(fd).st_mode) != PRIVATE_FILE:
        os.fchmod(fd, PRIVATE_FILE)


def write_all(files: Files, fd: int, data: bytes) -> None:
    """Append all of ``data``, going on after short writes.

    Raises ``OSError``; then an unknown part of ``data`` has been written.
    """
    rest: bytes | memoryview = data
    while (written := files.write(fd, rest)) < len(rest):
        if written <= 0:
            raise OSError(errno.EIO, "the file system wrote nothing")
        rest = memoryview(rest)[written:]


def make_private_directories(files: Files, path: Path) -> None:
    """Create ``path`` and its missing parents 0700, each name made durable.

    Syncs upwards to the first directory that was there before.
    """
    missing = []
    parent = path
    while not parent.is_dir():
        missing.append(parent)
        parent = parent.parent
    for directory in reversed(missing):
        try:
            directory.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, "Not a directory", str(directory)) from error
        files.sync_directory(directory.parent)


def _regular(fd: int, path: Path) -> int:
    """Return the descriptor of a regular file; any other is closed and refused."""
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise OSError(errno.EINVAL, f"{path.name} is not a regular file")


def _lock_exclusively(fd: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(fd, _WINDOWS_LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


@cache
def _fallocate() -> Callable[[int, int, int, int], int] | None:
    """Return the C library's call: Python offers only the variant that changes the size."""
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return None
    import ctypes

    function = getattr(ctypes.CDLL(None), "fallocate", None)
    if function is not None:
        function.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    return function
