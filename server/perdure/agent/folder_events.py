"""Hearing of new names in a folder without looking again and again (inotify, on Linux)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from perdure.tools.process_table import libc

_IN_MOVED_TO = 0x80
_MOST_BYTES = 64 * 1024


@contextmanager
def moved_in(folder: Path, heard: Callable[[], None]) -> Iterator[bool]:
    """Call ``heard`` on the event loop after files were moved into ``folder``.

    Gives whether the system tells of it at all. Of what another machine does to a file system that
    both share it does not tell; locks do not reach that far either.
    """
    descriptor = _inotify(folder)
    if descriptor is None:
        yield False
        return
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, _take, descriptor, heard)
    try:
        yield True
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _take(descriptor: int, heard: Callable[[], None]) -> None:
    with suppress(BlockingIOError):
        os.read(descriptor, _MOST_BYTES)
    heard()


def _inotify(folder: Path) -> int | None:
    if sys.platform != "linux":
        return None
    descriptor: int = libc().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if libc().inotify_add_watch(descriptor, os.fsencode(folder), _IN_MOVED_TO) < 0:
        os.close(descriptor)
        return None
    return descriptor
