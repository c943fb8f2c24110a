"""A pytest plugin: which tests have passed, so that an interrupted torture run can go on.

In the folder that ``PERDURE_TORTURE_FOLDER`` names, the file ``passed`` holds the ids of those that
passed before, one on each line, and they are added to ``passing``: two files, so that every worker
collects the same tests. ``failures`` tells at once what failed, long before the run ends.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Listen to the results, once and not in each worker."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Results(_folder()))


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave out what has passed."""
    passed = set((_folder() / "passed").read_text("utf-8").splitlines())
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in passed])
    items[:] = [item for item in items if item.nodeid not in passed]


class _Results:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._add("failures", f"{report.nodeid}\n{report.longreprtext}")
        elif report.when == "call":
            self._add("passing", report.nodeid)

    def _add(self, name: str, text: str) -> None:
        with (self._folder / name).open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


def _folder() -> Path:
    return Path(os.environ["PERDURE_TORTURE_FOLDER"])
