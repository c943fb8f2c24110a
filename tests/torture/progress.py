"""A pytest plugin: which tests have passed, so that an interrupted torture run can go on.

``PERDURE_TORTURE_PASSED`` names the file that holds the ids of those that passed before, one on
each line, and ``PERDURE_TORTURE_PASSING`` the one to which they are added. They are two, so that
every worker collects the same tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the results, once and not in each worker."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Passing(Path(os.environ["PERDURE_TORTURE_PASSING"])))


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out what has passed."""
    passed = set(Path(os.environ["PERDURE_TORTURE_PASSED"]).read_text("utf-8").splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]


class _Passing:
    def __init__(self, path: Path) -> None:
        self._path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{report.nodeid}\n")
