"""Access to the content of files, as the tools see it.

The tools go through ``Files`` and never open a workspace file themselves, so that the text of an
editor's unsaved buffer can take the place of what is on disk. Where a file is, is decided anew for
each call: by a ``FilesFor``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, ParamSpec, Protocol, TypeAlias, TypeVar

from perdure.errors import ToolError
from perdure.tools.real_paths import folder_of, open_real

MAX_WHOLE_FILE = 64 * 1024 * 1024
"""Bytes; a larger file is not taken into memory."""

P = ParamSpec("P")
T = TypeVar("T")


class Files(Protocol):
    """Reads and replaces whole files. Paths are real paths that ``workspace`` let through."""

    @property
    def in_editor(self) -> bool:
        """Whether what is replaced is the text of an unsaved document, and no file on disk."""
        ...

    def open(self, path: Path) -> BinaryIO:
        """Open for reading; may be called from any thread.

        Raises FileNotFoundError and other OSErrors, and ToolError for what is not a regular file.
        """
        ...

    async def replace(self, path: Path, content: bytes, *, tool_started_id: str) -> None:
        """Replace or create the file and its parents, atomically: old content or new content.

        A replaced file keeps its mode. Raises OSError, and ToolError for what is not a regular
        file. Once begun it is not cut short by cancelling the task; what a server that is killed
        then leaves on disk is at ``unfinished(path, tool_started_id)``.
        """
        ...


FilesFor: TypeAlias = Callable[[Path], Awaitable[Files]]
"""Gives the access to one file for the length of one call; never fails."""


class DiskFiles:
    """The files on disk."""

    @property
    def in_editor(self) -> bool:
        """See ``Files``."""
        return False

    def open(self, path: Path) -> BinaryIO:
        """See ``Files``. Opening never waits for the other end of a FIFO."""
        descriptor = open_real(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            _require_regular(os.fstat(descriptor), path.name)
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    async def replace(self, path: Path, content: bytes, *, tool_started_id: str) -> None:
        """See ``Files``."""
        await unbroken(replace_atomically, path, content, name=tool_started_id)


async def on_disk(path: Path) -> Files:
    """Where no editor has anything to say: every file is on disk."""
    return DiskFiles()


def content_if_present(files: Files, path: Path) -> bytes | None:
    """Return the whole content, None where there is no file.

    Raises as ``Files.open`` does, and ToolError for a file larger than ``MAX_WHOLE_FILE``.
    """
    try:
        with files.open(path) as file:
            content = file.read(MAX_WHOLE_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if len(content) > MAX_WHOLE_FILE:
        raise ToolError(f"{path.name} is larger than 64 MiB. Use bash to work on it.")
    return content


def unfinished(path: Path, name: str) -> Path:
    """Return where the new content of ``path`` is until it is renamed into place."""
    return path.parent / f".perdure-{name}.tmp"


def replace_atomically(path: Path, content: bytes, *, name: str | None = None) -> None:
    """Write ``unfinished(path, name)``, sync it and rename it to the real path ``path``.

    Without a ``name`` by which it is to be found after a crash, a random one is taken.
    """
    with folder_of(path, create=True) as folder:
        before = _status(folder, path.name)
        temporary = unfinished(path, name or secrets.token_hex(8)).name
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o666, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                if before is not None:
                    _keep_owner_and_mode(descriptor, before)
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.rename(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise


async def unbroken(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run ``function`` in a thread; a cancelled caller is told so only after it has ended."""
    work = asyncio.ensure_future(asyncio.to_thread(function, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise


def _status(folder: int, name: str) -> os.stat_result | None:
    """Return the status of a regular file that may be written, None where there is nothing."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _require_regular(status, name)
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise ToolError(f"{name} is read-only.")
    return status


def _keep_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    with contextlib.suppress(PermissionError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _require_regular(status: os.stat_result, name: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name} is a directory.")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name} is not a regular file.")
