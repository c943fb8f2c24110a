"""Commands of earlier servers: made sure to be dead, or attached to.

A server that starts calls ``reap`` before anything else runs. With ``runningCommands: keep`` it
then calls ``attach`` for the started call that has no result yet.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from perdure.tools.base import ToolResult
from perdure.tools.bash_result import bash_result
from perdure.tools.job_files import Identity, Job, JobFiles, all_job_files, job_files
from perdure.tools.process import follow, kill_marked, stop
from perdure.tools.processes import kill_group


async def reap(data: Path) -> None:
    """Kill what is left of the session's jobs; kept ones that can be attached to stay.

    When it returns, no process of another job is alive, and its files are gone. Jobs of this
    very process are none of an earlier server: they stay as well.
    """
    this_server = Identity.of(os.getpid())
    for files in all_job_files(data):
        job = files.last_word()
        if job is None or not (job.server == this_server or _can_be_attached(job)):
            await _make_sure_dead(files, job)
            files.remove()


async def attach(
    data: Path, tool_started_id: str, on_output: Callable[[str], None]
) -> ToolResult | None:
    """Wait for the kept job of a call and return its result, as if it had been run here.

    Returns None when there is no such job or its outcome is unknown; nothing of it is alive
    then. Cancelling ends the job unless it was marked by ``leave_running``.
    """
    files = job_files(data, tool_started_id)
    job = files.last_word()
    files.left_running.unlink(missing_ok=True)
    if job is not None and _can_be_attached(job):
        job = await _followed(files, job, on_output)
        if job is not None and job.state == "exited":
            return await asyncio.to_thread(bash_result, job, files, data)
    await _make_sure_dead(files, job)
    files.remove()
    return None


async def end(data: Path, tool_started_id: str) -> None:
    """End a job that nobody is attached to; harmless when there is none."""
    files = job_files(data, tool_started_id)
    await _make_sure_dead(files, files.load())
    files.remove()


def leave_running(data: Path, tool_started_id: str) -> bool:
    """Say that cancelling the call is a shutdown, not an abort: a kept command goes on.

    To be called before the cancellation. Returns whether the command is one to be kept.
    """
    files = job_files(data, tool_started_id)
    job = files.load()
    if job is None or not job.keep_running:
        return False
    files.left_running.touch(mode=0o600)
    return True


def running(data: Path) -> dict[str, Job]:
    """Return the commands that are running now, by ``toolStartedId``."""
    jobs = {files.job_id: files.load() for files in all_job_files(data)}
    return {
        job_id: job
        for job_id, job in jobs.items()
        if job is not None and job.state == "running" and job.is_supervised
    }


def sweep(data: Path) -> None:
    """Remove the files of jobs that are over.

    Calls run one after the other: when a command starts, the results of those before it are
    committed and nobody will attach to them any more.
    """
    for files in all_job_files(data):
        job = files.load()
        if job is None or not job.is_supervised:
            files.remove()


def _can_be_attached(job: Job) -> bool:
    if not job.keep_running:
        return False
    return job.state == "exited" or (job.state == "running" and job.is_supervised)


async def _followed(files: JobFiles, job: Job, on_output: Callable[[str], None]) -> Job | None:
    try:
        return await follow(files, on_output)
    except asyncio.CancelledError:
        if not files.left_running.exists():
            await _make_sure_dead(files, job)
        raise


async def _make_sure_dead(files: JobFiles, job: Job | None) -> None:
    if job is not None and job.supervisor is not None and job.supervisor.is_alive:
        await stop(files, job.supervisor.pid)
    if job is not None and job.process is not None and job.process.is_alive:
        kill_group(job.process.pid)
    await kill_marked(files.job_id)
