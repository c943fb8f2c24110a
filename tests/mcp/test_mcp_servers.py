"""Real MCP servers, on stdio and over HTTP, and what cannot be one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.mcp_home import SDK_COMMAND, on_http, spec_of
from tests.support.mcp_scene import Web, scene_at

from perdure.errors import ToolError
from perdure.mcp.servers import ServerState
from perdure.mcp.spec import ServerSpec
from perdure.tools.base import ToolResult

pytestmark = pytest.mark.process

TOOLS = ["add", "crash", "environment", "fail", "flood", "note", "picture"]
SPEC = spec_of(SDK_COMMAND)


@pytest.mark.asyncio
async def test_on_stdio(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        assert await scene.connect(SPEC) == TOOLS
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")
        assert await scene.call("fail", why="no") == ToolResult(
            "error", "Error: Error executing tool fail"
        )
        cut = await scene.call("flood", characters=60_000)
        assert cut.content.endswith("[Cut after 50 KB of 60000 bytes.]")
    assert scene.told == []
    assert scene.mcp.states == (ServerState("test", "connected", len(TOOLS)),)


@pytest.mark.asyncio
async def test_over_http_and_never_through_a_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with on_http() as url:
        async with scene_at(tmp_path) as scene:
            web = ServerSpec("web", url=url, headers=(("Authorization", "Bearer x"),))
            assert await scene.connect(web) == TOOLS
            assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")
            assert (await scene.call("fail", why="no")).type == "error"
            with pytest.raises(ToolError, match="web failed"):
                await scene.call("flood", characters=5_000_000)


@pytest.mark.asyncio
async def test_redirects_are_refused_and_headers_are_sent(tmp_path: Path) -> None:
    with Web() as web:
        spec = ServerSpec("web", url=f"{web.url}/mcp", headers=(("X-Key", "${TOKEN}"),))
        async with scene_at(tmp_path) as scene:
            assert await scene.connect(spec) == []
    assert "redirects" in scene.told[0]
    assert {headers["X-Key"] for headers in web.headers} == {"tok-12345678"}


@pytest.mark.asyncio
async def test_what_cannot_be_started_is_told_once_and_the_others_work(tmp_path: Path) -> None:
    missing = ServerSpec("missing", command="no-such-program")
    refused = ServerSpec("refused", url="http://127.0.0.1:1/mcp")
    ends = ServerSpec("ends", command="true")
    async with scene_at(tmp_path) as scene:
        for _ in range(2):
            assert await scene.connect(missing, SPEC, refused, ends) == TOOLS
    assert [state.state for state in scene.mcp.states] == [
        "failed",
        "connected",
        "failed",
        "failed",
    ]
    assert "MCP server missing: the program no-such-program is not found." in scene.told
    assert len(scene.told) == 3


@pytest.mark.asyncio
async def test_without_the_sdk_it_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    for module in ("perdure.mcp.connection", "perdure.mcp.wire"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    async with scene_at(tmp_path) as scene:
        assert await scene.connect(SPEC) == []
    (told,) = scene.told
    assert "pip install 'perdure[mcp]'" in told


def test_the_sdk_is_not_imported_before_a_server_is_configured() -> None:
    program = "import perdure.lsp.server, perdure.agent.workspace, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "perdure.mcp.servers" in loaded
    assert not {"mcp", "mcp_types", "httpx2", "acp"} & set(loaded)
