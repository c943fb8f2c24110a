"""Looking at processes and at files that processes write, from outside."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from perdure.tools.process_table import start_time


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Return whether the condition comes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def pid_in(path: Path) -> int:
    """Return the pid that a command writes into a file, as soon as it is there."""
    assert eventually(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def is_alive(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    return start_time(pid) is not None


def is_still(path: Path) -> bool:
    """Whether nothing is appended to the file during 0.3 seconds."""
    size = path.stat().st_size
    time.sleep(0.3)
    return path.stat().st_size == size


def zombies_below(parent: int) -> list[str]:
    """Return the status lines of dead children that nobody waited for."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state == "Z" and int(ppid) == parent:
            found.append(stat.read_text())
    return found
