"""File operations that fail on purpose, at the seam the store provides.

::

    FaultyFiles(short(1, length=5), fails("write", 2, errno.ENOSPC))

lets the first write take 5 bytes and the second one fail. Calls of an operation count from 1.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.store._fs import SystemFiles

Operation: TypeAlias = Literal["write", "sync", "truncate", "sync_directory", "create", "reserve"]


class Crash(BaseException):
    """The process ends here: no handler of the store may go on."""


@dataclass(frozen=True)
class Fault:
    """What happens instead at the ``nth`` call of ``operation``."""

    operation: Operation
    nth: int
    error: BaseException | None = None
    length: int | None = None


def fails(operation: Operation, nth: int, number: int) -> Fault:
    """Let a call fail with an error number."""
    return Fault(operation, nth, error=OSError(number, os.strerror(number)))


def crashes(operation: Operation, nth: int) -> Fault:
    """Let the process end in place of a call."""
    return Fault(operation, nth, error=Crash())


def short(nth: int, *, length: int) -> Fault:
    """Let a write take only its first bytes."""
    return Fault("write", nth, length=length)


class FaultyFiles(SystemFiles):
    """Real files, except where a fault says otherwise. ``trace`` lists the operations done."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self.trace: list[Operation] = []

    def write(self, fd: int, data: memoryview) -> int:
        fault = self._next("write")
        return super().write(fd, data if fault is None else data[: fault.length])

    def sync(self, fd: int) -> None:
        self._next("sync")
        super().sync(fd)

    def truncate(self, fd: int, length: int) -> None:
        self._next("truncate")
        super().truncate(fd, length)

    def sync_directory(self, path: Path) -> None:
        self._next("sync_directory")
        super().sync_directory(path)

    def create(self, path: Path) -> int:
        self._next("create")
        return super().create(path)

    def reserve(self, fd: int, offset: int, length: int) -> bool:
        self._next("reserve")
        return super().reserve(fd, offset, length)

    def add(self, *faults: Fault) -> None:
        """Plan more faults; from here on calls count from 1 again."""
        self.trace.clear()
        self.faults = list(faults)

    def _next(self, operation: Operation) -> Fault | None:
        self.trace.append(operation)
        nth = Counter(self.trace)[operation]
        for fault in self.faults:
            if (fault.operation, fault.nth) == (operation, nth):
                if fault.error is not None:
                    raise fault.error
                return fault
        return None


class GatedFiles(SystemFiles):
    """Real files whose syncs wait for the test."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()

    def sync(self, fd: int) -> None:
        if not self.gate.wait(timeout=30):
            raise TimeoutError("nobody opened the gate")
        super().sync(fd)
