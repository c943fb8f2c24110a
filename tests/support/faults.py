"""File operations that fail on purpose, at the seam the store provides.

::

    FaultyFiles(short(1, length=5), fails("write", 2, errno.ENOSPC))

lets the first write take 5 bytes and the second one fail. Calls of an operation count from 1,
those on the sidecar apart from all others: ``fails("write", 1, errno.EIO, file="seal")``.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from perdure.store._fs import SystemFiles

Operation: TypeAlias = Literal[
    "open", "read", "create", "write", "sync", "truncate", "sync_directory", "reserve", "stat"
]
FileKind: TypeAlias = Literal["log", "seal"]


class Crash(BaseException):
    """The process ends here: no handler of the store may go on."""


@dataclass(frozen=True)
class Fault:
    """What happens instead at the ``nth`` call of ``operation``."""

    operation: Operation
    nth: int
    error: BaseException | None = None
    length: int | None = None
    file: FileKind = "log"


def fails(operation: Operation, nth: int, number: int, *, file: FileKind = "log") -> Fault:
    """Let a call fail with an error number."""
    return Fault(operation, nth, error=OSError(number, os.strerror(number)), file=file)


def crashes(operation: Operation, nth: int) -> Fault:
    """Let the process end in place of a call."""
    return Fault(operation, nth, error=Crash())


def short(nth: int, *, length: int) -> Fault:
    """Let a write take only its first bytes."""
    return Fault("write", nth, length=length)


class FaultyFiles(SystemFiles):
    """Real files, except where a fault says otherwise.

    ``trace`` lists the changes made to logs and directories, ``seal_trace`` those to sidecars.
    """

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self._done: list[tuple[FileKind, Operation]] = []
        self._seals: set[int] = set()

    @property
    def trace(self) -> list[Operation]:
        return [operation for kind, operation in self._done if kind == "log"]

    @property
    def seal_trace(self) -> list[Operation]:
        return [operation for kind, operation in self._done if kind == "seal"]

    def add(self, *faults: Fault) -> None:
        """Plan other faults; from here on calls count from 1 again, and the traces are empty."""
        self._done.clear()
        self.faults = list(faults)

    def open(self, path: Path) -> int:
        self._fail_if_planned("open", _kind(path))
        return self._opened(path, super().open(path))

    def create(self, path: Path) -> int:
        self._next("create", _kind(path))
        return self._opened(path, super().create(path))

    def read(self, fd: int) -> bytes:
        self._fail_if_planned("read", self._kind_of(fd))
        return super().read(fd)

    def stat(self, fd: int) -> os.stat_result:
        self._fail_if_planned("stat", self._kind_of(fd))
        return super().stat(fd)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        fault = self._next("write", self._kind_of(fd))
        return super().write(fd, data if fault is None else data[: fault.length])

    def sync(self, fd: int) -> None:
        self._next("sync", self._kind_of(fd))
        super().sync(fd)

    def truncate(self, fd: int, length: int) -> None:
        self._next("truncate", self._kind_of(fd))
        super().truncate(fd, length)

    def sync_directory(self, path: Path) -> None:
        self._next("sync_directory", "log")
        super().sync_directory(path)

    def reserve(self, fd: int, offset: int, length: int) -> bool:
        self._next("reserve", self._kind_of(fd))
        return super().reserve(fd, offset, length)

    def close(self, fd: int) -> None:
        self._seals.discard(fd)
        super().close(fd)

    def _opened(self, path: Path, fd: int) -> int:
        if _kind(path) == "seal":
            self._seals.add(fd)
        return fd

    def _kind_of(self, fd: int) -> FileKind:
        return "seal" if fd in self._seals else "log"

    def _next(self, operation: Operation, kind: FileKind) -> Fault | None:
        """Note the call; raise what is planned for it, or return the plan."""
        self._done.append((kind, operation))
        nth = self._done.count((kind, operation))
        for fault in self.faults:
            if (fault.operation, fault.nth, fault.file) == (operation, nth, kind):
                if fault.error is not None:
                    raise fault.error
                return fault
        return None

    def _fail_if_planned(self, operation: Operation, kind: FileKind) -> None:
        """Fail every such call: those that change nothing are not counted."""
        for fault in self.faults:
            if (fault.operation, fault.file) == (operation, kind) and fault.error is not None:
                raise fault.error


def _kind(path: Path) -> FileKind:
    return "seal" if path.suffix == ".seal" else "log"


class GatedFiles(SystemFiles):
    """Real files whose syncs wait for the test."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()

    def sync(self, fd: int) -> None:
        if not self.gate.wait(timeout=30):
            raise TimeoutError("nobody opened the gate")
        super().sync(fd)
