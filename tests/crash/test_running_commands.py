"""Commands that are running when the server ends, as the setting ``runningCommands`` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.support.model_replies import ReplyFunction, by_turn, calls_reply, text_reply
from tests.support.scene import Scene, children_of, eventually, is_alive, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("Server killed or its stdin closed during a tool: no tool child survives"),
]

End: TypeAlias = Callable[[LspClient], None]
KEEP: JsonObject = {"runningCommands": "keep"}
TICKING = "echo $$ > pid; while true; do echo tick >> ticks; sleep 0.02; done"
DETACHED = f"setsid bash -c '{TICKING}' & wait"
WAITING = "echo once >> effects; echo $$ > pid; until [ -e go ]; do sleep 0.02; done; echo finished"


def _model(command: str) -> ReplyFunction:
    return by_turn(calls_reply(("bash", {"command": command})), text_reply("done"))


async def _run_until_pid(scene: Scene, client: LspClient) -> int:
    await client.command("prompt", text="go")
    await scene.until_file(client, "pid")
    return int(scene.text("pid"))


async def _until_dead(pid: int) -> None:
    await eventually(lambda: not is_alive(pid), seconds=2)


def _is_in_a_tool(status: Any) -> bool:  # noqa: ANN401
    return status["operation"] is not None and status["operation"]["phase"] == "tool"


def _kill(client: LspClient) -> None:
    client.kill()


def _close_stdin(client: LspClient) -> None:
    client.close_stdin()


def _terminate(client: LspClient) -> None:
    client.process.terminate()


@pytest.mark.requirement(2, 3, 38, 66)
@pytest.mark.parametrize(
    ("command", "end"),
    [
        pytest.param(TICKING, _kill, id="plain-kill"),
        pytest.param(DETACHED, _close_stdin, id="detached-eof"),
        pytest.param(TICKING, _terminate, id="plain-term"),
    ],
)
async def test_killed_with_the_server(tmp_path: Path, command: str, end: End) -> None:
    with scene_at(tmp_path, _model(command)) as scene:
        async with scene.server() as client:
            pid = await _run_until_pid(scene, client)
            before = scene.digest()
            end(client)
            await client.wait()
            await _until_dead(pid)
        assert scene.digest() == before
        ticks = scene.text("ticks")
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.text("ticks") == ticks
        assert scene.names().count("tool:interrupted") == 1
        assert scene.names().count("toolStarted") == 1


async def test_kept_and_attached_to(tmp_path: Path) -> None:
    with scene_at(tmp_path, _model(WAITING)) as scene:
        async with scene.server(settings=KEEP) as client:
            pid = await _run_until_pid(scene, client)
            assert await client.shutdown() == 0
        assert is_alive(pid)
        async with scene.server(settings=KEEP) as client:
            await client.until("perdure/status", _is_in_a_tool)
            assert is_alive(pid)
            (scene.folder / "go").touch()
            await wait_state(client, "idle")
        assert scene.text("effects") == "once\n"
        assert scene.names().count("tool:success") == 1
        assert "finished" in scene.tool_results()[0]
        assert scene.model.count == 2


async def test_a_kept_command_that_ended_meanwhile(tmp_path: Path) -> None:
    with scene_at(tmp_path, _model(WAITING)) as scene:
        async with scene.server(settings=KEEP) as client:
            pid = await _run_until_pid(scene, client)
            client.kill()
        (scene.folder / "go").touch()
        await _until_dead(pid)
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert "finished" in scene.tool_results()[0]
        assert scene.text("effects") == "once\n"


async def test_abort_ends_a_kept_command(tmp_path: Path) -> None:
    with scene_at(tmp_path, _model(WAITING)) as scene:
        async with scene.server(settings=KEEP) as client:
            pid = await _run_until_pid(scene, client)
            client.kill()
        async with scene.server(settings={"resume": "never"}) as client:
            await wait_state(client, "suspended")
            assert is_alive(pid)
            assert (await client.command("abort"))["outcome"] == "aborted"
            assert not is_alive(pid)
        assert scene.names()[-3:] == [
            "abortRequested",
            "tool:interrupted",
            "operationFinished:aborted",
        ]
        assert scene.model.count == 1


@pytest.mark.hazard("Tools that read stdin: EOF at once; the protocol stream is intact")
async def test_nobody_reads_the_protocol_and_nobody_stays(tmp_path: Path) -> None:
    readers = "cat; read line; python3 -c 'input()'; git commit; sudo -S -v"
    leaving = "sleep 0.2 & setsid sleep 0.3 & echo done"
    calls = calls_reply(
        *(("bash", JsonObject({"command": c})) for c in (readers, leaving, leaving))
    )
    with scene_at(tmp_path, by_turn(calls, text_reply("done"))) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            for _ in range(20):
                assert (await client.command("status"))["sessionId"] is not None
            await wait_state(client, "idle")
            await eventually(lambda: children_of(client.process.pid) == [], seconds=2)
        assert "EOFError" in scene.tool_results()[0]
        assert scene.tool_results()[1:] == ["done\n"] * 2
