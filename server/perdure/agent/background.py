"""Tasks nobody awaits: kept alive while they run, their failures logged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine


class Background:
    """Holds a strong reference to each task; ``log`` takes one line per failure."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run ``work`` by itself; the task can be waited for, and need not be."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def stop(self) -> None:
        """Cancel what still runs and wait for it."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._log(f"A background task failed: {error!r}")
