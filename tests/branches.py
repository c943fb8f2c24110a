"""Branch coverage of the core and the store: ``make coverage``.

::

    python -m tests.branches

Runs the fast tests of these two, prints what they left out and fails unless that is nothing.
What is measured, and which lines only another platform reaches, says ``pyproject.toml``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
TESTS = (
    "tests/unit/core",
    "tests/unit/store",
    "tests/unit/agent/test_configuration.py",
    "tests/unit/agent/test_takeover_request.py",
    "tests/conformance/test_own_fixtures.py",
    "tests/property/test_framing_fuzz.py",
)


def main() -> int:
    """Measure and print; return 0 when the tests passed and every branch was taken."""
    _coverage("erase")
    tests = _coverage("run", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
    _coverage("combine", "-q")
    left_out = _coverage("report")
    return tests or left_out


def covered_percent() -> int:
    """Return how much of the branches the last measurement found taken, rounded down."""
    command = [sys.executable, "-m", "coverage", "report", "--format=total", "--precision=0"]
    shown = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return int(shown.stdout.split()[0])


def _coverage(*arguments: str) -> int:
    """Run coverage.py in the repository and return its exit code."""
    environment = {name: value for name, value in os.environ.items() if "TORTURE" not in name}
    command = [sys.executable, "-m", "coverage", *arguments]
    return subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
