"""The process that the supervisors of commands are forked from. Standard library only.

Forking one takes a tenth of the time that starting Python takes. Nothing of a command comes in
here, so one command leaves nothing to the next: a request is one byte on stdin, a socket, that
brings the descriptors of a new supervisor along. At the end of file the server has no use for
this process any more, or is gone; the supervisors have life lines of their own.
"""

from __future__ import annotations

import os
import signal
import socket

from perdure.tools import supervisor
from perdure.tools.process_table import libc

_REQUESTS = 0
_DESCRIPTORS = 3


def main() -> None:
    """Fork a supervisor for each request until the server closes the socket."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how a supervisor has ended
    libc()  # every supervisor needs it, and finds it loaded
    with socket.socket(fileno=_REQUESTS) as requests:
        while True:
            request, descriptors, _, _ = socket.recv_fds(requests, 1, _DESCRIPTORS)
            if not request:
                return
            if os.fork() == 0:
                _supervise(*descriptors)
            for descriptor in descriptors:
                os.close(descriptor)


def _supervise(life_line: int, reports: int, folder: int) -> None:
    """Become a supervisor that starts in ``folder``; never return."""
    try:
        os.setsid()
        os.fchdir(folder)
        os.dup2(life_line, supervisor.LIFE_LINE)
        os.dup2(reports, supervisor.REPORTS)
        for descriptor in (life_line, reports, folder):
            os.close(descriptor)
        supervisor.main()
    finally:
        os._exit(1)
