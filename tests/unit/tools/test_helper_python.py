"""A Python that starts only where its environment says where its library is."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench

from perdure.json_types import JsonObject

STAND_IN = """#!/bin/sh
[ "$LD_LIBRARY_PATH" = /opt/python/lib ] || exit 127
exec {python} "$@"
"""


@pytest.fixture
def _python_that_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it in the place of the server's; no other program helps, but ``bash`` and ``cat``."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "cat"):
        (programs / name).symlink_to(str(shutil.which(name)))
    python = tmp_path / "python"
    python.write_text(STAND_IN.format(python=sys.executable))
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/python/lib")


@pytest.mark.usefixtures("_python_that_needs_its_library")
@pytest.mark.parametrize(
    ("tool", "arguments", "shown"),
    [
        ("bash", {"command": "cat file; echo $LD_LIBRARY_PATH"}, "found\n/opt/python/lib"),
        ("grep", {"pattern": "fou.d"}, "file:1:found"),
        ("glob", {"pattern": "*"}, "file"),
    ],
)
def test_a_tool_that_starts_it_works(
    bench: Bench, tool: str, arguments: JsonObject, shown: str
) -> None:
    (bench.root / "file").write_text("found\n")
    assert bench.ok(tool, **arguments).strip() == shown
