"""Starting and killing small servers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Literal

from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually

from perdure.tools.jobs import running


@contextlib.contextmanager
def server(
    bench: Bench,
    mode: Literal["kill", "keep"],
    command: str,
    *more: Literal["sandbox"],
    timeout_seconds: float = 120,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server that executes one command, ``bench.last_id``.

    It is killed at the end if it still lives.
    """
    job = bench.context().tool_started_id
    arguments = [str(bench.root), str(bench.data), job, mode, str(timeout_seconds), command, *more]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.unit.tools.small_server", *arguments],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def kill_supervisors(bench: Bench) -> None:
    """Kill the supervisors of all running jobs, as no server would."""
    for job in running(bench.data).values():
        assert job.supervisor is not None
        os.kill(job.supervisor.pid, signal.SIGKILL)
    assert eventually(lambda: running(bench.data) == {})
