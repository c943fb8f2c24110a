"""MCP servers that are silent, slow, talkative, forgetful or dead."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.support.mcp_home import RAW_COMMAND, spec_of
from tests.support.mcp_scene import scene_at
from tests.support.scene import children_of, eventually, is_alive

from perdure.errors import ToolError
from perdure.mcp import servers
from perdure.mcp.spec import ServerSpec
from perdure.tools.base import ToolResult

pytestmark = pytest.mark.process

TOOLS = ["add", "chatter", "crash", "crowd", "environment", "flood", "note"]
SPEC = spec_of(RAW_COMMAND)


@pytest.mark.asyncio
async def test_secrets_of_a_server_are_not_shown(tmp_path: Path) -> None:
    spec = spec_of(RAW_COMMAND, MINE="${TOKEN}", MCP_STDERR="${TOKEN} and more")
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec)
        assert (await scene.call("environment", name="MINE")).content == "[secret]"
        await eventually(lambda: "MCP server test: [secret] and more" in scene.logged)
        absent = await scene.call("environment", name="TOKEN")
        assert absent.content == "[secret]"


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
        await scene.connect(spec_of(RAW_COMMAND, seconds=0.3))
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
    spec = spec_of(RAW_COMMAND, MCP_MORE_TOOLS=str(more))
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
        await scene.connect(spec_of(RAW_COMMAND, MCP_STDERR="x" * 100_000))
        with pytest.raises(ToolError, match="Connection closed"):
            await scene.call("flood", characters=5_000_000)
        await eventually(lambda: any("too long" in line for line in scene.logged))
    assert all(line.startswith("MCP server test: ") for line in scene.logged)
    assert max(map(len, scene.logged)) < 40_000


@pytest.mark.asyncio
async def test_an_answer_of_too_many_parts_is_not_checked(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        await scene.connect(SPEC)
        with pytest.raises(ToolError, match="failed: the answer has more than 10,000 parts"):
            await scene.call("crowd", members=500_000)
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")


@pytest.mark.asyncio
async def test_what_a_server_says_of_itself_is_told_in_one_short_line(tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text(" ".join(f"\x1b[31m{'x' * 900}{number}" for number in range(50)))
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec_of(RAW_COMMAND, MCP_REFUSAL="no\x1b[31m\u202e " + "x" * 100_000))
        assert await scene.connect(spec_of(RAW_COMMAND, MCP_MORE_TOOLS=str(names))) == TOOLS
    refused, left_out = scene.told
    assert refused.startswith("MCP server test: could not be started: no\ufffd[31m\ufffd xx")
    assert len(refused) < 400
    assert left_out.count("its name is too long") == servers.MOST_NAMED
    assert left_out.endswith("; and 45 more.")
    assert left_out.isprintable()


@pytest.mark.asyncio
async def test_what_is_no_message_is_passed_over(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        garbage = "Starting ...\n{}\n[]\nnull\n\n{"
        assert await scene.connect(spec_of(RAW_COMMAND, MCP_GARBAGE=garbage)) == TOOLS
        assert await scene.call("add", a=1, b=2) == ToolResult("success", "3")


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
async def test_closing_leaves_no_process(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec_of(RAW_COMMAND, MCP_PID_FILE=str(pids)))
        assert all(map(is_alive, _pids(pids)))
    assert not any(map(is_alive, _pids(pids)))


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a parent's death")
async def test_not_even_the_death_of_its_keeper_leaves_a_server(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec_of(RAW_COMMAND, MCP_PID_FILE=str(pids)))
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


@pytest.mark.asyncio
async def test_a_server_that_never_stops_talking_is_given_up(tmp_path: Path) -> None:
    async with scene_at(tmp_path) as scene:
        await scene.connect(spec_of(RAW_COMMAND, seconds=1))
        with pytest.raises(ToolError, match="did not answer within 1 s"):
            await scene.call("chatter", messages=10_000_000)
