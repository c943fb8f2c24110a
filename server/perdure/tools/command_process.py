"""The process that a command begins as, between the fork and the shell. Standard library only."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence

from perdure.tools.process_table import die_with_parent

_DEFAULT_IN_A_TERMINAL = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT),  # ignored by a server in the background
    *(signal.SIGPIPE, signal.SIGXFSZ),  # ignored by Python
    signal.SIGTERM,  # handled by the supervisor
)


def become_command(
    words: list[str], environment: Mapping[str, str], outputs: Sequence[int], *, supervisor: int
) -> None:
    """Replace this forked process by the shell; never return.

    It dies with its ``supervisor``, also before anybody could find it by its mark.
    """
    try:
        die_with_parent()
        if os.getppid() != supervisor:
            os._exit(127)
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(outputs[0], 1)
        os.dup2(outputs[1], 2)
        for number in _DEFAULT_IN_A_TERMINAL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execve(words[0], words, environment)  # noqa: S606  (the shell itself is executed)
    except OSError as error:
        os.write(2, f"perdure: cannot run {words[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)
