"""From a finished command to the result that the model is told.

Used the same way for a command that this server ran and for one that it found running.
"""

from __future__ import annotations

from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.base import ToolResult
from perdure.tools.job_files import Job, JobFiles
from perdure.tools.output import shown_output
from perdure.tools.text import failure, success

_UNKNOWN = "The command's supervisor ended unexpectedly; what the command did is unknown."


def bash_result(job: Job | None, files: JobFiles, data: Path) -> ToolResult:
    """Return the result of a job that is over. A bad exit code is not a tool error."""
    if job is None or job.state != "exited":
        return failure(ToolError(_UNKNOWN))
    complete = data / "tool-output" / f"{files.job_id}.log"
    notes = _notes(job)
    return success(shown_output(files.streams, complete=complete, capped=job.capped, notes=notes))


def _notes(job: Job) -> list[str]:
    if job.timed_out:
        seconds = str(job.timeout_seconds).removesuffix(".0")
        return [f"Command timed out after {seconds} seconds."]
    if job.exit_code:
        return [f"Command exited with code {job.exit_code}"]
    return []
