"""Real MCP servers, on stdio and over HTTP: offers, calls, and all that goes wrong with them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

import pytest
from tests.support.mcp_home import COMMAND, REPOSITORY, on_http
from tests.support.scene import children_of, eventually, is_alive

from perdure.errors import ToolError
from perdure.json_types import JsonValue
from perdure.mcp import servers
from perdure.mcp.servers import McpServers, ServerState
from perdure.mcp.spec import ServerSpec
from perdure.mcp.tool import McpTool
from perdure.tools.base import ToolContext, ToolResult

pytestmark = pytest.mark.process

TOOLS = ["add", "crash", "environment", "fail", "flood", "note", "picture"]
SPEC = ServerSpec("test", command=COMMAND[0], args=COMMAND[1:], cwd=str(REPOSITORY))


@dataclass
class Scene:
    """The servers of one folder, and what was told of them."""

    root: Path
    told: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    tools: list[McpTool] = field(default_factory=list)
    environ: dict[str, str] = field(default_factory=lambda: {**os.environ, "TOKEN": "tok-12345678"})

    @property
    def context(self) -> ToolContext:
        """What a tool may know; the tools of servers use none of it."""
        return ToolContext(self.root, self.root, "id", keep_running=False, on_output=print)

    async def connect(self, *specs: ServerSpec) -> list[str]:
        """Ask for the tools of the servers; return their own names."""
        self.tools = await self.mcp.tools(specs)
        return [tool.name for tool in self.tools]

    async def call(self, name: str, /, **arguments: JsonValue) -> ToolResult:
        """Call a tool by the server's own name for it."""
        tool = next(tool for tool in self.tools if tool.name == name)
        return await tool.execute(arguments, self.context)

    def __post_init__(self) -> None:
        self.mcp = McpServers(
            root=self.root, environ=self.environ, tell=self.told.append, log=self.logged.append
        )


@asynccontextmanager
async def scene_at(root: Path) -> AsyncIterator[Scene]:
    """The servers of ``root``, closed at the end."""
    scene = Scene(root)
    try:
        yield scene
    finally:
        await scene.mcp.close()


def with_variables(**environment: str) -> ServerSpec:
    """The test server with variables in its environment."""
    return replace(SPEC, env=tuple(environment.items()))


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
async def test_over_http_with_a_header(tmp_path: Path) -> None:
    with on_http() as url:
        async with scene_at(tmp_path) as scene:
            web = ServerSpec("web", url=url, headers=(("Authorization", "Bearer x"),))
            assert await scene.connect(web) == TOOLS
            assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")
            assert (await scene.call("fail", why="no")).type == "error"
            with pytest.raises(ToolError, match="web failed"):
                await scene.call("flood", characters=5_000_000)


@pytest.mark.asyncio
async def test_secrets_of_a_server_are_not_shown(tmp_path: Path) -> None:
    spec = with_variables(MINE="${TOKEN}", MCP_STDERR="${TOKEN} and more")
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec)
        assert (await scene.call("environment", name="MINE")).content == "[secret]"
        await eventually(lambda: "MCP server test: [secret] and more" in scene.logged)
        absent = await scene.call("environment", name="TOKEN")
        assert absent.content == "[secret]"


@pytest.mark.asyncio
async def test_redirects_are_refused_and_headers_are_sent(tmp_path: Path) -> None:
    with Web() as web:
        spec = ServerSpec("web", url=f"{web.url}/mcp", headers=(("X-Key", "${TOKEN}"),))
        async with scene_at(tmp_path) as scene:
            assert await scene.connect(spec) == []
    assert "redirects" in scene.told[0]
    assert {headers["X-Key"] for headers in web.headers} == {"tok-12345678"}


class Web:
    """A web server that redirects everything, and records the headers of requests."""

    def __init__(self) -> None:
        self.headers: list[Message] = []
        headers = self.headers

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                headers.append(self.headers)
                self.send_response(307)
                self.send_header("location", "/elsewhere")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.mark.asyncio
async def test_what_can_not_be_started_is_told_once_and_the_others_work(tmp_path: Path) -> None:
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
async def test_a_server_that_says_nothing_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "START_SECONDS", 4.0)
    pids = tmp_path / "pids"
    silent = ("-c", f"sleep 600 & echo $$ $! > {pids}; sleep 600")
    async with scene_at(tmp_path) as scene:
        assert await scene.connect(ServerSpec("test", command="bash", args=silent)) == []
        assert scene.told == ["MCP server test: did not answer within 4 s."]
        assert not any(map(is_alive, _pids(pids)))


@pytest.mark.asyncio
async def test_a_call_that_takes_too_long(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        await scene.connect(replace(SPEC, timeout_seconds=0.3))
        file = str(tmp_path / "notes")
        with pytest.raises(ToolError, match=r"within 0.3 s; whether the call had an effect"):
            await scene.call("note", path=file, text="a", seconds=60)
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")


@pytest.mark.asyncio
async def test_a_server_that_crashes_is_started_again_for_the_next_run(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        await scene.connect(SPEC)
        with pytest.raises(ToolError, match="The MCP server test failed: Connection closed"):
            await scene.call("crash")
        assert await scene.connect(SPEC) == TOOLS
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")


@pytest.mark.asyncio
async def test_a_changed_list_of_tools_counts_when_it_is_asked_for(tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.write_text("")
    spec = with_variables(MCP_MORE_TOOLS=str(more))
    async with scene_at(tmp_path) as scene:
        assert await scene.connect(spec) == TOOLS
        more.write_text("one two")
        with pytest.raises(ToolError):
            await scene.call("crash")
        assert await scene.connect(spec) == sorted([*TOOLS, "one", "two"])
        assert await scene.connect() == []
        assert scene.mcp.states == ()


@pytest.mark.asyncio
async def test_too_much_is_not_kept_in_memory(tmp_path: Path) -> None:
    """A line of 5 MB ends the server; what it writes to its standard error is bounded."""
    async with scene_at(tmp_path) as scene:
        await scene.connect(with_variables(MCP_STDERR="x" * 100_000))
        with pytest.raises(ToolError, match="Connection closed"):
            await scene.call("flood", characters=5_000_000)
        await eventually(lambda: any("too long" in line for line in scene.logged))
    assert all(line.startswith("MCP server test: ") for line in scene.logged)
    assert max(map(len, scene.logged)) < 40_000


@pytest.mark.asyncio
async def test_cancelling_a_call_leaves_the_server_usable(tmp_path: Path) -> None:
    file = tmp_path / "notes"
    async with scene_at(tmp_path) as scene:
        await scene.connect(SPEC)
        call = asyncio.create_task(scene.call("note", path=str(file), text="a", seconds=60))
        await eventually(file.exists)
        call.cancel()
        await asyncio.wait({call})
        assert call.cancelled()
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")


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


@pytest.mark.asyncio
async def test_closing_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with scene_at(tmp_path) as scene:
        await scene.connect(with_variables(MCP_PID_FILE=str(pids)))
        assert all(map(is_alive, _pids(pids)))
    assert not any(map(is_alive, _pids(pids)))


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a parent's death")
async def test_not_even_the_death_of_its_keeper_leaves_a_server(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with scene_at(tmp_path) as scene:
        await scene.connect(with_variables(MCP_PID_FILE=str(pids)))
        file = tmp_path / "notes"
        call = asyncio.create_task(scene.call("note", path=str(file), text="a", seconds=60))
        await eventually(file.exists)
        server, child = _pids(pids)
        (keeper,) = (pid for pid in children_of(os.getpid()) if server in children_of(pid))
        os.kill(keeper, signal.SIGKILL)
        try:
            await eventually(lambda: not is_alive(server))
            await asyncio.wait({call})
        finally:
            os.kill(child, signal.SIGKILL)
    assert isinstance(call.exception(), ToolError)


def _pids(file: Path) -> Sequence[int]:
    return [int(pid) for pid in file.read_text().split()]
