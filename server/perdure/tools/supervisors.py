"""Starting supervisors, all of them forked from one process."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perdure.tools.own_python import FOR_PYTHON, own_python

_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


@dataclass(frozen=True, slots=True)
class SupervisorEnds:
    """The server's ends of the life line of a supervisor, and of the pipe on which it reports."""

    life_line: socket.socket
    reports: int


class Supervisors:
    """Starts supervisors.

    The first one starts the process that they are forked from. It ends with ``close``, the
    supervisors do not.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self, folder: Path) -> SupervisorEnds:
        """Start a supervisor in ``folder``; what it is to run goes over the life line.

        It shares nothing with the server but these ends: not its stderr either, or whoever reads
        that to its end would wait for a command that is kept running. Raises OSError.
        """
        with contextlib.ExitStack() as far_ends, contextlib.ExitStack() as near_ends:
            descriptor = os.open(folder, _FOLDER)
            far_ends.callback(os.close, descriptor)
            life_line, far_life_line = socket.socketpair()
            far_ends.enter_context(far_life_line)
            near_ends.enter_context(life_line).setblocking(False)
            reports, far_reports = os.pipe()
            far_ends.callback(os.close, far_reports)
            near_ends.callback(os.close, reports)
            self._request([far_life_line.fileno(), far_reports, descriptor])
            near_ends.pop_all()
        return SupervisorEnds(life_line, reports)

    def close(self) -> None:
        """End the process that supervisors are forked from. Idempotent."""
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._requests = self._process = None

    def _request(self, descriptors: Sequence[int]) -> None:
        """Ask for a supervisor; one more time where the process has been killed meanwhile."""
        try:
            socket.send_fds(self._connected(), [b"."], descriptors)
        except ConnectionError:
            self.close()
            socket.send_fds(self._connected(), [b"."], descriptors)

    def _connected(self) -> socket.socket:
        if self._requests is None:
            requests, far_end = socket.socketpair()
            with far_end:
                self._process = _started(far_end)
            requests.setblocking(False)
            self._requests = requests
        return self._requests


def _started(requests: socket.socket) -> subprocess.Popen[bytes]:
    """Start it with nothing of the server's environment that a command could look for there."""
    return subprocess.Popen(
        own_python("perdure.tools.fork_server"),
        cwd="/",
        env={name: os.environ[name] for name in FOR_PYTHON if name in os.environ},
        stdin=requests.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
