"""Running one effect at a time, so that an abort can stop it and a shutdown can drop it.

An effect is whatever happens between two commits: a model request, a question to the user, a
tool. It runs as its own task. ``stop`` ends it from outside *after* ``abortRequested`` is
durable; cancelling the task that awaits ``run`` ends it at shutdown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")

GRACE_SECONDS = 1.5
"""How long a cancelled effect may take to clean up before it is left alone."""


class EffectStopped(Exception):
    """The effect was stopped by an abort; the loop plans again."""


class Effects:
    """Runs effects of the running event loop, one after the other, until stopped."""

    def __init__(self) -> None:
        self._stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def stop(self) -> None:
        """Stop the running effect and every later one."""
        if not self._stopped.done():
            self._stopped.set_result(None)

    async def run(self, effect: Coroutine[None, None, T]) -> T:
        """Run ``effect`` to its end.

        Raises ``EffectStopped`` when stopped first; an effect that had already ended keeps its
        result, because what happened must be recorded.
        """
        if self._stopped.done():
            effect.close()
            raise EffectStopped
        task = asyncio.create_task(effect)
        try:
            first: tuple[asyncio.Future[T] | asyncio.Future[None], ...] = task, self._stopped
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise EffectStopped
        finally:
            await _end(task)


async def _end(task: asyncio.Task[T]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=GRACE_SECONDS)
    if task.done() and not task.cancelled():
        task.exception()
