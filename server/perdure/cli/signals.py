"""The signals of a command that must not just die."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, TypeAlias

from perdure.cli.exit_codes import INTERRUPTED

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_Handler: TypeAlias = Callable[[int, FrameType | None], Any] | int | None
_SIGNALS = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


class Signals:
    """While it is entered, the first signal is told; the next Ctrl-C ends the process at once.

    That one is handled outside the event loop, which may be what hangs. ``last_words`` is called
    before.
    """

    def __init__(self, *, last_words: Callable[[], None]) -> None:
        self._last_words = last_words
        self._received: int | None = None
        self._tell: Callable[[int], None] = lambda _: None
        self._before: dict[int, _Handler] = {}

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def first(self) -> asyncio.Future[int]:
        """Return a future of the first signal, on the running event loop."""
        loop = asyncio.get_running_loop()
        first: asyncio.Future[int] = loop.create_future()

        def tell(number: int) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(first.set_result, number)

        self._tell = tell
        if self._received is not None:
            first.set_result(self._received)
        return first

    def _handle(self, number: int, _: FrameType | None) -> None:
        if self._received is None:
            self._received = number
            self._tell(number)
        elif number == signal.SIGINT:
            self._last_words()
            os._exit(INTERRUPTED)
