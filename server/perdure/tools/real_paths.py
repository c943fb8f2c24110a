"""Opening by real paths: a path without links stays one while it is walked.

A real path is checked once, and opened a moment later. Whoever puts a link in the place of one of
its folders meanwhile would lead the opening elsewhere. So it is walked folder by folder, and no
step follows a link.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from perdure.errors import ToolError

_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


def open_real(path: Path, flags: int) -> int:
    """Return a descriptor of what is at the real path ``path``.

    ``flags`` are those of ``os.open``; nothing is created. Raises OSError, also where a link is on
    the way.
    """
    with folder_of(path) as folder:
        return os.open(path.name or ".", flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


@contextlib.contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Hold a descriptor for reading from ``open_real``."""
    descriptor = open_real(path, os.O_RDONLY | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove_real(path: Path) -> None:
    """Remove the file at the real path. Raises OSError."""
    with folder_of(path) as folder:
        os.unlink(path.name, dir_fd=folder)


@contextlib.contextmanager
def folder_of(path: Path, *, create: bool = False) -> Iterator[int]:
    """Hold the folder that contains the real path ``path``, as a descriptor for ``dir_fd``.

    With ``create`` the folders that are missing are made, however many, but none for a path that
    is too long. Raises OSError, and then also ToolError where something else is in the place of a
    folder.
    """
    if create:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            path.lstat()
    descriptor = os.open(path.anchor, _STEP)
    try:
        for name in path.parent.parts[1:]:
            below = _created(descriptor, name) if create else _step(descriptor, name)
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def _step(folder: int, name: str) -> int:
    return os.open(name, _STEP, dir_fd=folder)


def _created(folder: int, name: str) -> int:
    try:
        return _step(folder, name)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        return _step(folder, name)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP):
            raise ToolError(f"{name} is not a folder.") from error
        raise
