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
    while _alive(process_id):  # noqa: ASYNC110 (nothing tells of a foreign process)
        await asyncio.sleep(POLL_SECONDS)


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True
