"""A run that calls the tools of an MCP server: asked, killed, aborted, closed, changed."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.blocked import assert_blocked
from tests.support.cli import COMMAND, Cli, new_cli
from tests.support.mcp_home import (
    RAW_COMMAND,
    SDK_COMMAND,
    mcp_settings,
    named,
    on_http,
    on_stdio,
)
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import APPROVES, eventually, is_alive, scene_at, wait_state

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.json_types import JsonObject

pytestmark = pytest.mark.process

INTERRUPTED = SYNTHETIC_TEXT["interrupted"]


def with_mcp(
    tmp_path: Path,
    command: Sequence[str] = RAW_COMMAND,
    **changes: Any,  # noqa: ANN401
) -> JsonObject:
    """Settings with a test server; it writes its pid and its child's to a file."""
    server = on_stdio(command, MCP_PID_FILE=str(tmp_path / "pids"))
    return {"mcp": mcp_settings(test={**server, **changes})}


def note(file: Path, seconds: float = 0) -> tuple[str, JsonObject]:
    """A call that writes to a file, and waits."""
    return named("note"), {"path": str(file), "text": "begun", "seconds": seconds}


def pids(tmp_path: Path) -> list[int]:
    """The server's process and its child."""
    return [int(pid) for pid in (tmp_path / "pids").read_text().split()]


async def no_process_is_left(tmp_path: Path) -> None:
    """Wait until the server and its child are gone."""
    await eventually(lambda: not any(map(is_alive, pids(tmp_path))))


@pytest.mark.asyncio
async def test_a_tool_is_asked_about_once_and_called(tmp_path: Path) -> None:
    call = (named("add"), JsonObject({"a": 1, "b": 2}))
    model = by_turn(calls_reply(call), calls_reply(call), text_reply("3"))
    with scene_at(tmp_path, model) as scene:
        settings = with_mcp(tmp_path, SDK_COMMAND, approval="ask")
        async with scene.server(settings=settings, capabilities=APPROVES) as client:
            client.on_request("perdure/approve", lambda _: {"decision": "allowForSession"})
            await scene.talk(client, "go")
            (asked,) = client.requests["perdure/approve"]
            status = await client.command("status")
            assert await client.shutdown() == 0
        await no_process_is_left(tmp_path)
    assert asked["title"] == 'mcp:test/add {"a": 1, "b": 2}'
    assert asked["arguments"] == {"a": 1, "b": 2}
    assert scene.tool_results() == ["3", "3"]
    assert [started["replay"] for started in scene.records("toolStarted")] == ["never"] * 2
    assert status["mcp"] == [{"name": "test", "state": "connected", "tools": 7, "message": ""}]
    offered: Any = scene.model.requests[0].body["tools"]
    assert {named("add"), "bash"} <= {tool["function"]["name"] for tool in offered}


@pytest.mark.asyncio
async def test_a_plain_client_is_shown_the_arguments(tmp_path: Path) -> None:
    call = calls_reply((named("add"), {"a": 1, "b": 2}))
    with scene_at(tmp_path, by_turn(call, text_reply("No."))) as scene:
        settings = with_mcp(tmp_path, approval="ask")
        async with scene.server(settings=settings, choose="Deny") as client:
            await scene.talk(client, "go")
            (asked,) = client.requests["window/showMessageRequest"]
    assert 'mcp:test/add {"a": 1, "b": 2}\n{\n "a": 1,\n "b": 2\n}' in asked["message"]
    assert scene.tool_results() == ["Error: The user refused this call; it was not executed."]


@pytest.mark.asyncio
@pytest.mark.requirement(2, 25)
@pytest.mark.hazard("Server killed or its stdin closed during a tool: no tool child survives")
async def test_killed_in_a_call_it_is_interrupted_and_not_repeated(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with scene_at(tmp_path, by_turn(calls_reply(note(notes, 60)), text_reply("Done."))) as scene:
        async with scene.server(settings=with_mcp(tmp_path, SDK_COMMAND)) as client:
            await client.command("prompt", text="go")
            await eventually(notes.exists)
            client.kill()
        first = pids(tmp_path)
        async with scene.server(settings=with_mcp(tmp_path, SDK_COMMAND)) as client:
            assert (await wait_state(client, "idle", "blocked"))["state"] == "idle"
            assert not any(map(is_alive, first))
        for request in scene.model.requests:
            assert_legal_history(request.body)
    assert scene.tool_results() == [INTERRUPTED]
    assert scene.names()[-1] == "operationFinished:completed"
    assert notes.read_text() == "begun\n"


@pytest.mark.asyncio
@pytest.mark.requirement(2, 25)
async def test_killed_in_a_call_over_http_it_is_not_repeated_either(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with (
        on_http() as url,
        scene_at(tmp_path, by_turn(calls_reply(note(notes, 60)), text_reply("Done."))) as scene,
    ):
        settings: JsonObject = {"mcp": mcp_settings(test={"url": url, "approval": "allow"})}
        async with scene.server(settings=settings) as client:
            await client.command("prompt", text="go")
            await eventually(notes.exists)
            client.kill()
        async with scene.server(settings=settings) as client:
            assert (await wait_state(client, "idle", "blocked"))["state"] == "idle"
    assert scene.tool_results() == [INTERRUPTED]
    assert scene.names()[-1] == "operationFinished:completed"
    assert notes.read_text() == "begun\n"


@pytest.mark.asyncio
@pytest.mark.hazard("Abort while connecting, streaming, in `sleep 300`")
async def test_abort_in_a_call(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    model = by_turn(calls_reply(note(notes, 60)), text_reply("Again."))
    with scene_at(tmp_path, model) as scene:
        async with scene.server(settings=with_mcp(tmp_path)) as client:
            await client.command("prompt", text="go")
            await eventually(notes.exists)
            assert (await client.command("abort"))["outcome"] == "aborted"
            await scene.talk(client, "again")
    assert scene.tool_results()[0] == INTERRUPTED
    assert scene.names().count("operationFinished:aborted") == 1
    assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.asyncio
@pytest.mark.requirement(48, 49, 63)
async def test_without_its_server_a_run_is_blocked_until_it_is_back(tmp_path: Path) -> None:
    replies = [hang_reply(), text_reply("done")]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=with_mcp(tmp_path)) as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        gone = with_mcp(tmp_path, ("no-such-program",))
        async with scene.server(settings=gone) as client:
            await assert_blocked(scene, client, "configuration_changed")
            details = (await client.command("status"))["blocked"]["details"]
            assert "tool mcp:test/add" in [detail["field"] for detail in details]
            told = [told["message"] for told in client.notifications["window/showMessage"]]
            assert "MCP server test: the program no-such-program is not found." in told
            back = {**scene.settings(), **with_mcp(tmp_path)}
            client.notify("workspace/didChangeConfiguration", {"settings": back})
            assert (await client.command("resume"))["outcome"] == "resumed"
            assert (await wait_state(client, "idle", "blocked"))["state"] == "idle"
    assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.asyncio
async def test_keys_of_providers_stay_with_us(tmp_path: Path) -> None:
    names = ("OPENAI_API_KEY", "MY_KEY", "ORDINARY")
    calls = [(named("environment"), JsonObject({"name": name})) for name in names]
    with scene_at(tmp_path, by_turn(calls_reply(*calls), text_reply("Done."))) as scene:
        model: JsonObject = {"apiKeyEnv": "MY_KEY"}
        settings: JsonObject = {"model": model, **with_mcp(tmp_path)}
        environ = dict.fromkeys(names, "value")
        async with scene.server(settings=settings, environ=environ) as client:
            await scene.talk(client, "go")
    assert scene.tool_results() == ["(not set)", "(not set)", "value"]


def configured(tmp_path: Path, notes: Path) -> Cli:
    """A user whose own configuration names the test server; the demo model calls it."""
    cli = new_cli(tmp_path)
    server = on_stdio(RAW_COMMAND, MCP_PID_FILE=str(tmp_path / "pids"))
    environment = ", ".join(f'{name} = "{value}"' for name, value in server["env"].items())  # type: ignore[union-attr]
    cli.configure(
        f'[model]\nprovider = "demo"\n[mcp.servers.test]\ncommand = "{server["command"]}"\n'
        f'args = ["-m", "{RAW_COMMAND[-1]}"]\nenv = {{{environment}}}\napproval = "allow"\n'
    )
    return cli


@pytest.mark.requirement(104)
def test_ctrl_c_closes_the_servers(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    cli = configured(tmp_path, notes)
    script = f'call: {named("note")} {{"path": "{notes}", "text": "begun", "seconds": 60}}'
    process = subprocess.Popen(
        [*COMMAND, "run", script],
        cwd=cli.folder,
        env=cli.environ,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    while not notes.exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    assert not any(map(is_alive, pids(tmp_path)))


def test_doctor_connects_to_the_servers(tmp_path: Path) -> None:
    cli = configured(tmp_path, tmp_path / "notes")
    report = cli.run("doctor").stdout.decode()
    assert "test: connected, 7 tools." in report
    assert not any(map(is_alive, pids(tmp_path)))
