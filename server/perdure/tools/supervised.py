"""Running one command under its supervisor, and ending it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import perdure
from perdure.tools.job_files import Job, JobFiles
from perdure.tools.live_output import LiveOutput
from perdure.tools.process_table import MARK, marked, send, start_time

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from perdure.tools.supervisor import main; main(*sys.argv[2:])"
)
_POLL_SECONDS = 0.05
_SHORT_SECONDS = 0.01
_GRACE_SECONDS = 1.0


async def run(
    files: JobFiles,
    job: Job,
    *,
    shell: Sequence[str],
    root: Path,
    environment: Mapping[str, str],
    on_output: Callable[[str], None],
) -> Job | None:
    """Run the command of ``job`` by ``shell``; return what its job file says at the end.

    Returns None when the supervisor died without a word; the outcome is unknown then.
    Cancelling ends the command and all its descendants within about a second, unless the job
    was marked as left running. Raises OSError when nothing could be started.
    """
    files.create(job)
    supervised = _Supervised(files, shell, root, environment)
    output = LiveOutput(files, on_output)
    try:
        while not supervised.reported.done():
            await asyncio.wait({supervised.reported}, timeout=_POLL_SECONDS)
            output.forward()
    finally:
        if not (supervised.reported.done() or files.left_running.exists()):
            await stop(files, supervised.pid)
        await asyncio.wait({supervised.ended}, timeout=_POLL_SECONDS)
    finished = files.load()
    if finished is None or finished.state in ("starting", "running"):
        await stop(files, supervised.pid)
        return None
    return finished


async def follow(files: JobFiles, on_output: Callable[[str], None]) -> None:
    """Wait until a job that an earlier server started has ended."""
    output = LiveOutput(files, on_output)
    while (job := files.load()) is not None and job.is_supervised and job.state == "running":
        output.forward()
        await asyncio.sleep(_POLL_SECONDS)
    output.forward()


async def stop(files: JobFiles, supervisor: int) -> None:
    """End a command through its supervisor, or over its head when that takes too long."""
    send([supervisor], signal.SIGTERM)
    try:
        await until(lambda: start_time(supervisor) is None, seconds=_GRACE_SECONDS)
    finally:
        await kill_marked(files.job_id)


async def kill_marked(job_id: str) -> None:
    """Kill what carries the mark of a job, and wait until all of it is gone."""
    killed: set[int] = set()

    def all_are_gone() -> bool:
        pids = marked(job_id)
        send(pids, signal.SIGKILL)
        killed.update(pids)
        return not pids and all(start_time(pid) is None for pid in killed)

    await until(all_are_gone, seconds=_GRACE_SECONDS)


async def until(condition: Callable[[], bool], *, seconds: float) -> None:
    """Wait until the condition holds, at most the given time."""
    for _ in range(round(seconds / _SHORT_SECONDS)):
        if condition():
            return
        await asyncio.sleep(_SHORT_SECONDS)


class _Supervised:
    """A supervisor that this process has started.

    ``reported`` is done when the job file holds the outcome or the supervisor is gone, ``ended``
    when it is gone. The event loop holds on to a supervisor that looks after processes in the
    background, and with it to the life line that keeps them alive.
    """

    def __init__(
        self, files: JobFiles, shell: Sequence[str], root: Path, environment: Mapping[str, str]
    ) -> None:
        loop = asyncio.get_running_loop()
        self.reported: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self._popen, self._reports = _start(files, shell, root, environment)
        loop.add_reader(self._reports, self._on_report, loop)

    @property
    def pid(self) -> int:
        """The supervisor's pid."""
        return self._popen.pid

    def _on_report(self, loop: asyncio.AbstractEventLoop) -> None:
        is_gone = not os.read(self._reports, 16)
        if not self.reported.done():
            self.reported.set_result(None)
        if is_gone:
            loop.remove_reader(self._reports)
            os.close(self._reports)
            self._popen.communicate()  # closes the life line and collects what has just ended
            self.ended.set_result(None)


def _start(
    files: JobFiles, shell: Sequence[str], root: Path, environment: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], int]:
    """Start the supervisor; return it and the descriptor on which it reports.

    It shares nothing with the server but the two pipes: not its stderr either, or whoever reads
    that to its end would wait for a command that is kept running.
    """
    packages = Path(perdure.__file__).parent.parent
    reports, far_end = os.pipe()
    try:
        supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _BOOT, str(packages), str(files.record), *shell],
            cwd=root,
            env={**environment, MARK: files.job_id},
            stdin=subprocess.PIPE,
            stdout=far_end,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        os.close(reports)
        raise
    finally:
        os.close(far_end)
    return supervisor, reports
