"""All that the long tests can do, and a table of it: ``make torture``.

::

    python -m tests.torture [--go-on] [options for pytest, such as -n 2]

It takes more than an hour. What it has done stands in ``.torture/``; ``--go-on`` goes on with the
last run, and leaves out what passed in it. Afterwards it measures which branches the fast tests
take. The exit code is 0 when every test passed, no effect was lost or repeated, and no branch is
left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests import branches
from tests.torture.table import Row, effects, read_rows, table

TIMEOUT_SECONDS = 7200
"""One test; the longest tries a million states of a disk, perhaps beside other work."""

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / ".torture"
TESTS = ("tests/property", "tests/crash", "tests/conformance", "tests/unit/store")
NOTHING_LEFT = 5
"""The exit code of pytest when all tests have passed before."""


def main(options: Sequence[str]) -> int:
    """Run the tests, print the table, and return the exit code."""
    goes_on = "--go-on" in options
    report = _prepared(FOLDER, goes_on=goes_on)
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "tests.torture.progress"]
        + [f"--timeout={TIMEOUT_SECONDS}", *TESTS]
        + [option for option in options if option != "--go-on"],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "PERDURE_TORTURE": "1",
            "PERDURE_TORTURE_REPORT": str(report),
            "PERDURE_TORTURE_FOLDER": str(FOLDER),
        },
        check=False,
    )
    uncovered = branches.main()
    percent = branches.covered_percent()
    rows = [
        *read_rows(report),
        Row(14, "branches of core and store taken, percent", percent, 0, 0),
    ]
    print(table(rows))
    failed = tests.returncode not in (0, NOTHING_LEFT)
    return int(failed or any(effects(rows)) or uncovered != 0)


def _prepared(folder: Path, *, goes_on: bool) -> Path:
    """Make the folder of a run ready and return where the tests report."""
    if not goes_on:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    (folder / "passing").touch()
    shutil.copy(folder / "passing", folder / "passed")
    return folder / "report.jsonl"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
