"""What is on disk of a command: ``S.d/jobs/<toolStartedId>.{json,out,err}``.

The server creates the job file before it says what to run; the supervisor keeps it up to date.
Files are 0600, folders 0700.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from perdure.json_types import JsonObject, JsonValue
from perdure.tools.own_files import private_folder, read_own
from perdure.tools.process_table import boot_id, start_time
from perdure.tools.supervisor import write_job

State: TypeAlias = Literal["starting", "running", "exited", "aborted"]


@dataclass(frozen=True, slots=True)
class Identity:
    """One process for ever, even when its pid is used again."""

    pid: int
    start_time: str

    @staticmethod
    def of(pid: int) -> Identity | None:
        """Return the identity of a live process."""
        started = start_time(pid)
        return None if started is None else Identity(pid, started)

    @property
    def is_alive(self) -> bool:
        """Whether this very process exists and has not ended."""
        return start_time(self.pid) == self.start_time


@dataclass(frozen=True, slots=True)
class Job:
    """A command and what is known of it.

    ``server`` started it, in the boot ``boot_id``. ``exit_code`` is None while it runs. State
    ``exited``: it ended by itself or at its timeout; ``aborted``: it was killed.
    """

    command: str
    keep_running: bool
    timeout_seconds: float
    state: State = "starting"
    boot_id: str = ""
    server: Identity | None = None
    supervisor: Identity | None = None
    process: Identity | None = None
    exit_code: int | None = None
    timed_out: bool = False
    capped: bool = False

    @property
    def is_supervised(self) -> bool:
        """Whether its supervisor is alive."""
        return self.supervisor is not None and self.supervisor.is_alive


@dataclass(frozen=True, slots=True)
class JobFiles:
    """The files of one job in its folder."""

    folder: Path
    job_id: str

    @property
    def record(self) -> Path:
        """The job file."""
        return self.folder / f"{self.job_id}.json"

    @property
    def streams(self) -> tuple[Path, Path]:
        """The captured stdout and stderr."""
        return self.folder / f"{self.job_id}.out", self.folder / f"{self.job_id}.err"

    @property
    def left_running(self) -> Path:
        """A mark: the server is about to end and the command is to go on."""
        return self.folder / f"{self.job_id}.left"

    def create(self, job: Job) -> dict[str, object]:
        """Write the job file of a command that this process is about to start; return it."""
        private_folder(self.folder)
        pid = os.getpid()
        content: dict[str, object] = {
            "command": job.command,
            "keepRunning": job.keep_running,
            "timeoutSeconds": job.timeout_seconds,
            "state": job.state,
            "bootId": boot_id(),
            "server": {"pid": pid, "startTime": start_time(pid)},
        }
        write_job(str(self.record), content)
        return content

    def load(self) -> Job | None:
        """Return the job, None where there is none or its file is damaged."""
        try:
            value: JsonValue = json.loads(read_own(self.record))
        except (OSError, ValueError, RecursionError):
            return None
        return _parsed(value) if isinstance(value, dict) else None

    def last_word(self) -> Job | None:
        """Return the job as ``load`` does, but never the past of one that has just ended.

        A supervisor writes the outcome before it dies: what is read after its death is final.
        """
        job = self.load()
        if job is not None and job.state == "running" and not job.is_supervised:
            return self.load()
        return job

    def known_outcome(self) -> Job | None:
        """Return the job if it ended by itself, in this boot, and its output is complete.

        What another boot has written may be in part: it was not synced.
        """
        job = self.load()
        if job is None or job.state != "exited" or job.exit_code is None:
            return None
        complete = job.boot_id == boot_id() and all(path.exists() for path in self.streams)
        return job if complete else None

    def remove(self) -> None:
        """Delete everything of the job."""
        for name in _names_in(self.folder):
            if name.startswith(f"{self.job_id}."):
                (self.folder / name).unlink(missing_ok=True)


def job_files(data: Path, tool_started_id: str) -> JobFiles:
    """Return the files of one job of the session whose folder is ``data``."""
    return JobFiles(data / "jobs", tool_started_id)


def all_job_files(data: Path) -> Iterator[JobFiles]:
    """Yield every job of the session."""
    folder = data / "jobs"
    for name in sorted(_names_in(folder)):
        if name.endswith(".json"):
            yield JobFiles(folder, name.removesuffix(".json"))


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _parsed(value: JsonObject) -> Job | None:
    states: tuple[State, ...] = get_args(State)
    state = next((known for known in states if known == value.get("state")), None)
    timeout = value.get("timeoutSeconds")
    exit_code = value.get("exitCode")
    if state is None or not isinstance(timeout, int | float):
        return None
    return Job(
        command=str(value.get("command")),
        keep_running=value.get("keepRunning") is True,
        timeout_seconds=timeout,
        state=state,
        boot_id=str(value.get("bootId")),
        server=_identity(value.get("server")),
        supervisor=_identity(value.get("supervisor")),
        process=_identity(value.get("process")),
        exit_code=exit_code if isinstance(exit_code, int) else None,
        timed_out=value.get("timedOut") is True,
        capped=value.get("capped") is True,
    )


def _identity(value: JsonValue) -> Identity | None:
    if not isinstance(value, dict):
        return None
    pid = value.get("pid")
    started = value.get("startTime")
    return Identity(pid, started) if isinstance(pid, int) and isinstance(started, str) else None
