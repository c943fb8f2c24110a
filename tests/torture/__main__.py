"""All that the long tests can do, and a table of it: ``make torture``.

::

    python -m tests.torture [options for pytest, such as -n 2]

The exit code is 0 when every test passed and no effect was lost or repeated.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.torture.table import effects, read_rows, table

TIMEOUT_SECONDS = 7200
"""One test; the longest tries a million states of a disk, perhaps beside other work."""

REPOSITORY = Path(__file__).parents[2]
TESTS = ("tests/crash", "tests/property", "tests/conformance", "tests/unit/store")


def main(options: Sequence[str]) -> int:
    """Run the tests, print the table, and return the exit code."""
    with TemporaryDirectory(prefix="perdure-torture-") as folder:
        report = Path(folder) / "report.jsonl"
        tests = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                f"--timeout={TIMEOUT_SECONDS}",
                *TESTS,
                *options,
            ],
            cwd=REPOSITORY,
            env={**os.environ, "PERDURE_TORTURE": "1", "PERDURE_TORTURE_REPORT": str(report)},
            check=False,
        )
        rows = read_rows(report)
    print(table(rows))
    return 1 if tests.returncode or any(effects(rows)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
