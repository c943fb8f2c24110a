"""Notices that the client's process is gone, even when its end of the pipe stays open."""

from __future__ import annotations

import asyncio
import os

from perdure.protocol.uris import WINDOWS

POLL_SECONDS = 0.5


async def ended(process_id: int) -> None:
    """Return when the process has ended.

    Never returns where that cannot be known: on Windows, and when there is no such process at
    first, because the client then lives in another container.
    """
    if WINDOWS or not _alive(process_id):
        await asyncio.get_running_loop().create_future()
    descriptor = _descriptor(process_id)
    if descriptor is None:
        while _alive(process_id):  # noqa: ASYNC110 (nothing else tells of a foreign process)
            await asyncio.sleep(POLL_SECONDS)
    else:
        await _readable(descriptor)


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _descriptor(process_id: int) -> int | None:
    """Return what becomes readable when the process ends, which costs nothing until then.

    None where the system has no such thing: only Linux has (since 5.3), and containers may not.
    """
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(process_id)
    except OSError:
        return None


async def _readable(descriptor: int) -> None:
    """Wait until there is something to read, and close the descriptor."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
