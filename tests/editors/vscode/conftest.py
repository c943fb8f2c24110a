"""One VS Code for all tests of a process, with the extension as it is built here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.editors.vscode.code_server import code_server
from tests.editors.vscode.rig import VsCode
from tests.editors.vscode.tools import code_server_command, extension_copy, need_tools, packaged


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension's folder, with all that it needs to be built and tested."""
    need_tools()
    return extension_copy(tmp_path_factory.mktemp("extension") / "vscode")


@pytest.fixture(scope="session")
def vs_code(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VsCode]:
    """A running VS Code with the extension in it."""
    home = tmp_path_factory.mktemp("code-server")
    with code_server(code_server_command(), home, packaged(extension)) as server:
        yield VsCode(server, home / "chromium")
