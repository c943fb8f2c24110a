"""Descriptors that an event loop can watch, also for files and devices, which it cannot."""

from __future__ import annotations

import os
import stat
import threading

_CHUNK = 64 * 1024


def source(descriptor: int) -> int:
    """Return a descriptor with the same bytes and end; a thread copies where it must."""
    if _can_be_watched(descriptor):
        return descriptor
    reading, writing = os.pipe()
    threading.Thread(target=_copy, args=(descriptor, writing), daemon=True).start()
    return reading


def sink(descriptor: int) -> tuple[int, threading.Thread | None]:
    """Return a descriptor whose bytes get there, and the thread that copies them, if any.

    The thread ends when the returned descriptor is closed.
    """
    if _can_be_watched(descriptor):
        return descriptor, None
    reading, writing = os.pipe()
    copying = threading.Thread(target=_copy, args=(reading, descriptor), daemon=True)
    copying.start()
    return writing, copying


def _can_be_watched(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _copy(reading: int, writing: int) -> None:
    """Copy to the end of the input, or until one end is gone; then close both."""
    try:
        while data := os.read(reading, _CHUNK):
            _write_all(writing, data)
    except OSError:
        pass
    finally:
        os.close(reading)
        os.close(writing)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
