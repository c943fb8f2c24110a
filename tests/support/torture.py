"""How much the long tests do: a sample in an ordinary run, everything in a torture run.

A torture run is one with ``PERDURE_TORTURE=1``; ``python -m tests.torture`` starts it and prints
what the tests report as a table.
"""

from __future__ import annotations

import json
import os
from pathlib import Path


def torturing() -> bool:
    """Whether this is a torture run."""
    return os.environ.get("PERDURE_TORTURE") == "1"


def count(ordinary: int, full: int) -> int:
    """How often to do something: ``ordinary`` times, or ``full`` times in a torture run."""
    return full if torturing() else ordinary


def report(goal: int, what: str, count: int, lost: int = 0, repeated: int = 0) -> None:
    """Say at the end of a test how much it tried, for the table of a torture run.

    ``goal`` is the number of the reliability goal and ``what`` names the row of the table, such as
    "points killed". ``lost`` and ``repeated`` count effects. Appends one JSON line to the file
    that ``PERDURE_TORTURE_REPORT`` names; without it, does nothing. Safe from several processes.
    """
    path = os.environ.get("PERDURE_TORTURE_REPORT")
    if not path:
        return
    line = {"goal": goal, "what": what, "count": count, "lost": lost, "repeated": repeated}
    with Path(path).open("ab", buffering=0) as file:
        file.write(json.dumps(line).encode() + b"\n")
