"""Commands of earlier servers: made sure to be dead, attached to, or known to have ended.

A server that starts calls ``reap`` before anything else runs. It then calls ``attach`` for the
started call that has no result yet: with ``runningCommands: keep`` its command may still run, and
with either setting it may have ended by itself before its result was stored.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from perdure.tools.base import ToolResult
from perdure.tools.bash_result import bash_result
from perdure.tools.job_files import Identity, Job, JobFiles, all_job_files, job_files
from perdure.tools.process_table import kill_group
from perdure.tools.supervised import follow, kill_all, stop


async def reap(data: Path) -> None:
    """Kill what is left of the session's jobs; kept ones that are running stay.

    When it returns, no process of another job is alive, and only the files of those with a known
    outcome are left. Jobs of this very process are none of an earlier server: they stay as well.
    """
    this_server = Identity.of(os.getpid())
    for files in all_job_files(data):
        job = files.last_word()
        if job is None or not (job.server == this_server or _goes_on(job)):
            await _make_sure_dead(files, job)
            if files.known_outcome() is None:
                files.remove()


async def attach(
    data: Path, tool_started_id: str, on_output: Callable[[str], None]
) -> ToolResult | None:
    """Wait for the job of a call and return its result, as if it had been run here.

    Returns None when there is no such job or its outcome is unknown. Nothing of it is alive
    afterwards. Cancelling ends the job unless it was marked by ``leave_running``.
    """
    files = job_files(data, tool_started_id)
    job = files.last_word()
    files.left_running.unlink(missing_ok=True)
    if job is not None and _goes_on(job):
        await _followed(files, job, on_output)
    await _make_sure_dead(files, job)
    ended = files.known_outcome()
    if ended is None:
        files.remove()
        return None
    return await asyncio.to_thread(bash_result, ended, files, data)


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


def has_known_outcome(data: Path, tool_started_id: str) -> bool:
    """Return whether ``attach`` would return a result at once."""
    return job_files(data, tool_started_id).known_outcome() is not None


def sweep(data: Path) -> None:
    """Remove the files of jobs that are over.

    Calls run one after the other: when a command starts, the results of those before it are
    committed and nobody will attach to them any more.
    """
    for files in all_job_files(data):
        job = files.load()
        if job is None or not job.is_supervised:
            files.remove()


def _goes_on(job: Job) -> bool:
    return job.keep_running and job.state == "running" and job.is_supervised


async def _followed(files: JobFiles, job: Job, on_output: Callable[[str], None]) -> None:
    try:
        await follow(files, on_output)
    except asyncio.CancelledError:
        if not files.left_running.exists():
            await _make_sure_dead(files, job)
        raise


async def _make_sure_dead(files: JobFiles, job: Job | None) -> None:
    if job is not None and job.supervisor is not None and job.supervisor.is_alive:
        await stop(files, job.supervisor)
    if job is not None and job.process is not None and job.process.is_alive:
        kill_group(job.process.pid)
    await kill_all(files.job_id, None)
