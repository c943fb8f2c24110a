"""What waits to be sent to the client; a thread of its own writes it.

Laws:

* ``put`` never blocks: neither the loop, the log nor a tool waits for whoever reads.
* Below the soft bound everything is sent, in order.
* Above it the client is not reading: a replaceable frame takes the place of the older one with
  the same key, and ``congested`` tells the senders of droppable output to drop it.
* Above the hard bound the client counts as dead: ``on_dead`` is called once, further frames are
  dropped. What was dropped stands in the session file.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import count

SOFT_BOUND = 1024 * 1024
"""Bytes waiting above which droppable output is dropped."""

HARD_BOUND = 64 * 1024 * 1024
"""Bytes waiting above which the client counts as dead."""


class Outbox:
    """A bounded queue of frames, emptied by a daemon thread.

    ``write`` blocks and returns how many bytes it took. ``on_dead`` gets one sentence; it is
    called from any thread.
    """

    def __init__(
        self,
        write: Callable[[memoryview], int],
        *,
        on_dead: Callable[[str], None],
        hard_bound: int = HARD_BOUND,
    ) -> None:
        self._write = write
        self._on_dead = on_dead
        self._hard_bound = hard_bound
        self._frames: OrderedDict[Hashable, bytes] = OrderedDict()
        self._numbers = count()
        self._waiting = 0
        self._dead = False
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="lsp-writer", daemon=True).start()

    @property
    def congested(self) -> bool:
        """Whether the client does not keep up."""
        return self._waiting > SOFT_BOUND

    def put(self, data: bytes, *, replaces: Hashable | None = None) -> None:
        """Queue one frame; when congested it removes the queued one with the key ``replaces``."""
        with self._changed:
            if self._dead:
                return
            key: Hashable = next(self._numbers)
            if replaces is not None and self.congested:
                key = ("replaceable", replaces)
                self._waiting -= len(self._frames.pop(key, b""))
            self._frames[key] = data
            self._waiting += len(data)
            overflow = self._waiting > self._hard_bound
            self._changed.notify_all()
        if overflow:
            self._die("The client does not read any more.")

    def drain(self, timeout_seconds: float) -> bool:
        """Wait until everything is written; return whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: self._dead or not self._waiting, timeout_seconds)

    def _run(self) -> None:
        while (data := self._next()) is not None:
            try:
                self._write_all(data)
            except OSError as error:
                self._die(f"The client cannot be written to ({error.strerror}).")
                return
            with self._changed:
                self._waiting -= len(data)
                self._changed.notify_all()

    def _next(self) -> bytes | None:
        """Wait for a frame and take it; its bytes count as waiting until they are written."""
        with self._changed:
            self._changed.wait_for(lambda: self._dead or self._frames)
            if self._dead:
                return None
            return self._frames.popitem(last=False)[1]

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._write(rest) :]

    def _die(self, reason: str) -> None:
        with self._changed:
            if self._dead:
                return
            self._dead = True
            self._frames.clear()
            self._changed.notify_all()
        self._on_dead(reason)
