"""The signals of a command that must not just die."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from perdure.cli.exit_codes import INTERRUPTED

_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@contextmanager
def first_signal(*, last_words: Callable[[], None]) -> Iterator[asyncio.Future[int]]:
    """Give a future of the first signal; a second Ctrl-C calls ``last_words`` and ends at once.

    The second one is handled outside the event loop, which may be what hangs.
    """
    loop = asyncio.get_running_loop()
    first: asyncio.Future[int] = loop.create_future()
    received: list[int] = []

    def tell(number: int) -> None:
        if not first.done():
            first.set_result(number)

    def handle(number: int, _: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            last_words()
            os._exit(INTERRUPTED)
        received.append(number)
        loop.call_soon_threadsafe(tell, number)

    before = {number: signal.signal(number, handle) for number in _SIGNALS}
    try:
        yield first
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
