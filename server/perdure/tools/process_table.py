"""Facts about processes that pids alone cannot give, and ways to end whole families of them.

Standard library only and cheap to import: the supervisor uses it as well.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable
from functools import cache

TYPE_CHECKING = False
"""What ``typing`` has, which takes longer to import than everything else here."""

if TYPE_CHECKING:
    import ctypes

MARK = "PERDURE_JOB"
"""Environment variable that every process of a command inherits; its value is the job's id."""

_PROC = os.path.exists("/proc/self/stat")
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


@cache
def boot_id() -> str:
    """Return what names this start of the machine, empty where the system does not say."""
    if _PROC:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    if sys.platform == "darwin":
        return _output_of("sysctl", "-n", "kern.bootsessionuuid").strip()
    return ""


def start_time(pid: int) -> str | None:
    """Return a text that together with the pid names one process for ever; None if it is gone.

    A process that has ended but was not waited for is gone.
    """
    if not _PROC:
        return _start_time_by_ps(pid)
    fields = _stat_fields(pid)
    if fields is None or fields[0] == b"Z":
        return None
    return f"{boot_id()}:{int(fields[19])}"


def descendants(ancestor: int) -> list[int]:
    """Return all processes below ``ancestor``."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents().items():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found.extend(below)
        waiting.extend(below)
    return found


def marked(job_id: str) -> list[int]:
    """Return the processes of a job, found by the mark; empty where /proc does not exist."""
    mark = f"{MARK}={job_id}\0".encode()
    found = []
    for pid in _pids():
        with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
            if mark in file.read() and start_time(pid) is not None:
                found.append(pid)
    return found


def send(pids: Iterable[int], number: int) -> None:
    """Signal each process; those that are gone are passed over."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def kill_group(pid: int) -> None:
    """Kill the process group that ``pid`` leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def become_subreaper() -> None:
    """Make orphaned descendants children of this process (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@cache
def libc() -> ctypes.CDLL:
    """Return the C library."""
    import ctypes

    return ctypes.CDLL(None)


def die_with_parent() -> None:
    """Have this process killed when its parent is gone (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()] if _PROC else []


def _stat_fields(pid: int) -> list[bytes] | None:
    """Return the fields of /proc/PID/stat after the name, the state first."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _parents() -> dict[int, int]:
    if not _PROC:
        rows = (line.split() for line in _output_of("ps", "-A", "-o", "pid=,ppid=").splitlines())
        return {int(pid): int(parent) for pid, parent in rows}
    stats = ((pid, _stat_fields(pid)) for pid in _pids())
    return {pid: int(fields[1]) for pid, fields in stats if fields is not None}


def _start_time_by_ps(pid: int) -> str | None:
    shown = _output_of("ps", "-o", "state=,lstart=", "-p", str(pid))
    state, _, started = shown.strip().partition(" ")
    return None if not started or state.startswith("Z") else started.strip()


def _output_of(*command: str) -> str:
    import subprocess

    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
