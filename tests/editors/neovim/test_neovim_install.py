"""``:Perdure install``: a virtual environment with the server in it."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.editors.neovim.nvim import Nvim, neovim
from tests.support.scene import scene_at

pytestmark = pytest.mark.process

WHEEL = {
    "perdure_stub.py": "def main() -> None:\n    print('serving')\n",
    "perdure-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: perdure\nVersion: 1\n",
    "perdure-1.dist-info/WHEEL": ("Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    "perdure-1.dist-info/entry_points.txt": "[console_scripts]\nperdure = perdure_stub:main\n",
    "perdure-1.dist-info/RECORD": "",
}


def _install(nvim: Nvim, source: str) -> str:
    """Install from a source; return the message about it."""
    nvim.lua("vim.g.perdure = { install_from = ... }", source)
    before = len(nvim.notes())
    nvim.command("Perdure install")
    nvim.until(lambda: len(nvim.notes()) == before + 2)
    return nvim.notes()[-1]


def test_without_a_server_it_is_said_once_what_to_do(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene, neovim(scene, start="") as nvim:
        nvim.lua("vim.g.perdure = {}; vim.env.PATH = ''")
        for command in ("Perdure new", "Perdure changes"):
            nvim.command(command)
        assert nvim.notes() == 2 * ["Perdure: not installed: run :Perdure install"]


def test_install(tmp_path: Path) -> None:
    wheel = tmp_path / "perdure-1-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)
    with scene_at(tmp_path, []) as scene, neovim(scene) as nvim:
        path = nvim.lua("return vim.env.PATH")
        nvim.lua("vim.env.PATH = ''")
        told = _install(nvim, str(wheel))
        assert told == "Perdure: not installed: there is no python3 on PATH"
        nvim.lua("vim.env.PATH = ...", path)
        assert _install(nvim, str(wheel)) == "Perdure: installed"
        nvim.lua("vim.env.PATH = '/bin'")
        command, origin = nvim.lua("return { require('perdure.server').find() }")
        assert origin == "made by :Perdure install"
        assert nvim.lua("return vim.fn.system(...)", command) == "serving\n"
