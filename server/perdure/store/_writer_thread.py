"""The thread that waits for the disk, so that the event loop need not.

An executor would do, but its own locks and futures make each hand-over half as dear again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TypeAlias, TypeVar

T = TypeVar("T")

_Work: TypeAlias = Callable[[], Callable[[], None]]
"""Does something that may take long, and returns what the event loop is to do then."""


class WriterThread:
    """Does one thing after the other for the event loop on which it was made.

    The end of the process does not wait for it: what nobody has been told of may be cut short.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        threading.Thread(target=self._run, name="perdure-store", daemon=True).start()

    def do(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Call ``work`` in the thread; the future has what it returns or raises."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._work.put(partial(_done, work, done))
        return done

    def stop(self) -> None:
        """End the thread when all that was asked of it is done; harmless when repeated."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            tell = work()
            with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                self._loop.call_soon_threadsafe(tell)


def _done(work: Callable[[], T], done: asyncio.Future[T]) -> Callable[[], None]:
    try:
        return partial(done.set_result, work())
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
        return partial(done.set_exception, error)
