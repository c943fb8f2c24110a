"""Running a request so that it can be given up cleanly.

``httpx`` loses a connection of its pool when the task that uses it is cancelled a second time
while it closes. So the request runs in a task of its own, which is cancelled at most once, and
whose clean-up always runs to its end, however often the caller is cancelled meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Progress:
    """When the other side was last heard, on the clock of the event loop."""

    def __init__(self) -> None:
        self.at = asyncio.get_running_loop().time()

    def note(self) -> None:
        """Note that something came."""
        self.at = asyncio.get_running_loop().time()


class WatchedTasks:
    """The requests that run, and those that are still closing."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    async def run(self, work: Coroutine[Any, Any, T], progress: Progress, limit: float) -> T:
        """Return the result of ``work``.

        Raises TimeoutError after ``limit`` seconds without progress, and whatever ``work`` raises.
        """
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        try:
            await _wait(task, progress, limit)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        return task.result()

    async def close(self) -> None:
        """End what still runs, and wait until everything is closed."""
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _forget(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as seen: the caller may have gone


async def _wait(task: asyncio.Task[object], progress: Progress, limit: float) -> None:
    while not task.done():
        remaining = progress.at + limit - asyncio.get_running_loop().time()
        if remaining <= 0:
            raise TimeoutError
        await asyncio.wait({task}, timeout=remaining)
