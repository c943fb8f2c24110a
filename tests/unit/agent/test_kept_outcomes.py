"""Which jobs of a dead server have a known outcome."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from perdure.json_types import JsonObject
from perdure.tools.base import ToolResult
from perdure.tools.job_files import JobFiles, job_files
from perdure.tools.jobs import attach, has_known_outcome, reap
from perdure.tools.process_table import boot_id

JOB = "0192b3c0-0000-7000-8000-00000000000a"
ENDED: JsonObject = {
    "command": "make",
    "keepRunning": False,
    "timeoutSeconds": 120,
    "state": "exited",
    "bootId": boot_id(),
    "server": {"pid": 1, "startTime": "of another server"},
    "exitCode": 0,
}


def left_by_a_server(data: Path, **changes: object) -> JobFiles:
    """Put the files of a job where a dead server has left them."""
    files = job_files(data, JOB)
    files.folder.mkdir(parents=True)
    files.record.write_text(json.dumps({**ENDED, **changes}))
    for stream, text in zip(files.streams, ("out\n", "err\n"), strict=True):
        stream.write_text(text)
    return files


@pytest.mark.parametrize("keep", [True, False])
def test_a_command_that_ended_by_itself(tmp_path: Path, keep: bool) -> None:
    left_by_a_server(tmp_path, keepRunning=keep)
    asyncio.run(reap(tmp_path))
    assert has_known_outcome(tmp_path, JOB)
    assert _attached(tmp_path) == ToolResult("success", "out\nerr\n")
    assert has_known_outcome(tmp_path, JOB), "until the result is stored"


def test_its_exit_code_and_its_timeout_are_told(tmp_path: Path) -> None:
    left_by_a_server(tmp_path, exitCode=137, timedOut=True)
    assert _attached(tmp_path) == ToolResult(
        "success", "out\nerr\n\nCommand timed out after 120 seconds."
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"state": "aborted"},
        {"state": "running"},
        {"state": "starting"},
        {"bootId": "another"},
        {"bootId": None},
        {"exitCode": None},
    ],
    ids=str,
)
def test_a_job_that_is_not_known(tmp_path: Path, changes: dict[str, object]) -> None:
    files = left_by_a_server(tmp_path, **changes)
    assert not has_known_outcome(tmp_path, JOB)
    asyncio.run(reap(tmp_path))
    assert list(files.folder.iterdir()) == []
    assert _attached(tmp_path) is None


def test_its_output_is_part_of_the_evidence(tmp_path: Path) -> None:
    left_by_a_server(tmp_path).streams[1].unlink()
    assert _attached(tmp_path) is None


def _attached(data: Path) -> ToolResult | None:
    return asyncio.run(attach(data, JOB, lambda _: None))
