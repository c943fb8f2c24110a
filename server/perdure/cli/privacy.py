"""Keeping the keys in our environment from the commands that a model runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from perdure.tools.process_table import libc

_PR_SET_DUMPABLE = 4


def hide_memory(environ: Mapping[str, str]) -> None:
    """On Linux, keep other processes of this user out of our memory.

    The commands have no keys in their own environment, but could read ours in
    ``/proc/<pid>/environ``, or attach to us as a debugger does. With ``PERDURE_DEBUG`` they may.
    """
    if sys.platform != "linux" or environ.get("PERDURE_DEBUG"):
        return
    libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
