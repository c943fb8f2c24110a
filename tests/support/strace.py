"""Watching the system calls of a process, and killing it at an exact one, with strace."""

from __future__ import annotations

import asyncio
import shutil
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is not installed; apt-get install strace"
)

ALL_THREADS = ("-f", "-b", "execve")
"""Options to follow every thread, but no child once it has become another program."""


@asynccontextmanager
async def traced(pid: int, *options: str) -> AsyncIterator[Process]:
    """Attach strace to ``pid``: to its first thread only, or as ``ALL_THREADS`` says.

    Entered when it is attached; on leaving it is detached, if the process lives on. (By SIGKILL:
    asked to end while the process is dying, strace can wait for ever.)
    """
    strace = await asyncio.create_subprocess_exec(
        *("strace", "-q", "-p", str(pid), *options), stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await asyncio.to_thread(_wait_until_attached, pid, all_threads="-f" in options)
        yield strace
    finally:
        if strace.returncode is None:
            strace.kill()
            await strace.wait()


@asynccontextmanager
async def killed_at_write(pid: int, path: Path, *, number: int) -> AsyncIterator[None]:
    """SIGKILL ``pid`` when a thread is about to write to ``path`` for its ``number``-th time.

    Counted from now on, for each thread. The write itself does not happen. On leaving, the
    process must have been killed.
    """
    inject = f"inject=write:signal=SIGKILL:when={number}"
    options = (*ALL_THREADS, "-P", str(path), "-o", "/dev/null", "-e", "trace=write", "-e", inject)
    async with traced(pid, *options) as strace:
        yield
        await ended(strace)


async def ended(strace: Process) -> None:
    """Wait until strace has ended by itself, because the process has."""
    async with asyncio.timeout(20):
        await strace.wait()


def _wait_until_attached(pid: int, *, all_threads: bool) -> None:
    """Return when every thread of ``pid``, or the first one, is traced."""
    deadline = time.monotonic() + 20
    threads = Path(f"/proc/{pid}/task")
    while not all(map(_traced, threads.iterdir() if all_threads else [threads / str(pid)])):
        assert time.monotonic() < deadline, f"strace did not attach to {pid}"
        time.sleep(0.01)


def _traced(task: Path) -> bool:
    try:
        status = (task / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return "TracerPid:\t0\n" not in status
