"""The extension's own checks: types, style, and the tests of its parts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.editors.vscode.tools import npm

pytestmark = [pytest.mark.process, pytest.mark.vscode]


@pytest.mark.parametrize("script", ["check", "test"])
def test_script(extension: Path, script: str) -> None:
    npm(extension, "run", script)
