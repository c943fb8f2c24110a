"""Small files that Perdure keeps beside a session. Standard library only and cheap to import.

Whoever reads sees the old content or the new one. What stands in the place of such a file, but
is no regular file, is neither followed nor waited for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat

TYPE_CHECKING = False
"""What ``typing`` has, which takes as long to import as everything else here together."""

if TYPE_CHECKING:
    from pathlib import Path


def private_folder(folder: Path) -> None:
    """Make a folder beside a session and its parent, readable by the user only."""
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def read_own(path: Path) -> bytes:
    """Return the content. Raises OSError, also for a link and for all that is no regular file."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def write_own(path: Path | str, content: bytes, *, durable: bool = False) -> None:
    """Create or replace the file, 0600; where it is ``durable`` it then survives a power cut.

    Until then it is beside it as ``<name>.<pid>.tmp``. Raises OSError.
    """
    temporary = f"{path}.{os.getpid()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if durable:
        _sync_folder(os.path.dirname(path))


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
