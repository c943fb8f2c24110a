"""Running one command under its supervisor, and ending it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Mapping, Sequence

from perdure.tools.job_files import Identity, Job, JobFiles
from perdure.tools.live_output import LiveOutput
from perdure.tools.process_table import MARK, marked, send, start_time
from perdure.tools.supervisors import SupervisorEnds

_POLL_SECONDS = 0.05
_SHORT_SECONDS = 0.01
_GRACE_SECONDS = 1.0
_ABORT = b"!"


async def run(
    files: JobFiles,
    job: Job,
    *,
    shell: Sequence[str],
    environment: Mapping[str, str],
    ends: SupervisorEnds,
    on_output: Callable[[str], None],
) -> Job | None:
    """Have a supervisor run the command of ``job`` by ``shell``; return the job at its end.

    ``ends`` are those of one that was just started. Returns None when it died without a word;
    the outcome is unknown then. Cancelling ends the command and all its descendants within about
    a second, unless the job was marked as left running.
    """
    supervised = _Supervised(ends)
    output = LiveOutput(files, on_output)
    try:
        request = _request(files, files.create(job), shell, environment)
        await supervised.hand_over(request)
        while not supervised.reported.done():
            await asyncio.wait({supervised.reported}, timeout=_POLL_SECONDS)
            output.forward()
    finally:
        if not (supervised.reported.done() or files.left_running.exists()):
            await supervised.stop(files)
        await asyncio.wait({supervised.ended}, timeout=_POLL_SECONDS)
    finished = files.load()
    if finished is None or finished.state in ("starting", "running"):
        await supervised.stop(files)
        return None
    return finished


async def follow(files: JobFiles, on_output: Callable[[str], None]) -> None:
    """Wait until a job that an earlier server started has ended."""
    output = LiveOutput(files, on_output)
    while (job := files.load()) is not None and job.is_supervised and job.state == "running":
        output.forward()
        await asyncio.sleep(_POLL_SECONDS)
    output.forward()


async def stop(files: JobFiles, supervisor: Identity) -> None:
    """End a command through its supervisor, or over its head when that takes too long."""
    send([supervisor.pid], signal.SIGTERM)
    try:
        await until(lambda: not supervisor.is_alive, seconds=_GRACE_SECONDS)
    finally:
        await kill_all(files.job_id, supervisor)


async def kill_all(job_id: str, supervisor: Identity | None) -> None:
    """Kill a supervisor and what carries the mark of a job, and wait until all of it is gone."""
    killed: set[int] = set()

    def all_are_gone() -> bool:
        pids = marked(job_id)
        if supervisor is not None and supervisor.is_alive:
            pids.append(supervisor.pid)
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
    when it is gone or about to go. The event loop holds on to a supervisor that looks after
    processes in the background, and with it to the life line that keeps them alive.
    """

    def __init__(self, ends: SupervisorEnds) -> None:
        loop = asyncio.get_running_loop()
        self.reported: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self._life_line, self._reports = ends.life_line, ends.reports
        self._was_told = False
        loop.add_reader(self._reports, self._on_report, loop)

    async def hand_over(self, request: Mapping[str, object]) -> None:
        """Say what to run; one who was told less than that runs nothing."""
        line = json.dumps(request).encode() + b"\n"
        with contextlib.suppress(ConnectionError):  # it is gone, which is reported
            await asyncio.get_running_loop().sock_sendall(self._life_line, line)
        self._was_told = True
        if self.ended.done():
            self._life_line.close()

    async def stop(self, files: JobFiles) -> None:
        """End the command through its supervisor, or over its head when that takes too long."""
        if self._was_told:
            with contextlib.suppress(OSError):
                self._life_line.send(_ABORT)
        else:
            self._life_line.close()
        try:
            await asyncio.wait({self.ended}, timeout=_GRACE_SECONDS)
        finally:
            job = files.load()
            await kill_all(files.job_id, None if job is None else job.supervisor)

    def _on_report(self, loop: asyncio.AbstractEventLoop) -> None:
        is_gone = not os.read(self._reports, 16)
        if not self.reported.done():
            self.reported.set_result(None)
        if is_gone:
            loop.remove_reader(self._reports)
            os.close(self._reports)
            if self._was_told:
                self._life_line.close()
            self.ended.set_result(None)


def _request(
    files: JobFiles, job: Mapping[str, object], shell: Sequence[str], environment: Mapping[str, str]
) -> Mapping[str, object]:
    """Return what the first line of the life line says (see ``supervisor``)."""
    return {
        "record": str(files.record),
        "job": job,
        "shell": shell,
        "environment": {**environment, MARK: files.job_id},
    }
