"""Fixtures of the tests of tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return an empty workspace with a session folder beside it."""
    root = tmp_path / "workspace"
    root.mkdir()
    return Bench(root.resolve(), tmp_path / "session.d")
