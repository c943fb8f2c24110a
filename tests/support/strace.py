"""Killing a process at an exact system call, with strace."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is not installed; apt-get install strace"
)


@asynccontextmanager
async def killed_at_write(pid: int, path: Path, *, number: int) -> AsyncIterator[None]:
    """SIGKILL ``pid`` when a thread is about to write to ``path`` for its ``number``-th time.

    Counted from now on, for each thread. The write itself does not happen. On leaving, the
    process must have been killed.
    """
    strace = await asyncio.create_subprocess_exec(
        *("strace", "-f", "-q", "-p", str(pid), "-P", str(path), "-o", "/dev/null"),
        *("-e", "trace=write", "-e", f"inject=write:signal=SIGKILL:when={number}"),
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await asyncio.to_thread(_wait_until_attached, pid)
        yield
        async with asyncio.timeout(20):
            await strace.wait()
    finally:
        if strace.returncode is None:
            strace.terminate()
            await strace.wait()


def _wait_until_attached(pid: int) -> None:
    """Return when every thread of ``pid`` is traced."""
    deadline = time.monotonic() + 20
    while not all(_traced(task) for task in Path(f"/proc/{pid}/task").iterdir()):
        assert time.monotonic() < deadline, f"strace did not attach to {pid}"
        time.sleep(0.01)


def _traced(task: Path) -> bool:
    try:
        status = (task / "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return "TracerPid:\t0\n" not in status
