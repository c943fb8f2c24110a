"""``perdure.takeOver``: the holder suspends and lets go, the one who asked goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import (
    ReplyFunction,
    by_turn,
    calls_reply,
    hang_reply,
    text_reply,
)
from tests.support.scene import Scene, is_alive, scene_at, wait_state

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonObject
from perdure.store.takeover import PATIENCE_MS

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("the second can take over within a second"),
]

WAIT = "echo once >> effects; echo $$ > pid; until [ -e go ]; do sleep 0.02; done; echo finished"
KEEP: JsonObject = {"runningCommands": "keep"}


@asynccontextmanager
async def two_windows(
    scene: Scene, settings: JsonObject | None = None
) -> AsyncIterator[tuple[LspClient, LspClient]]:
    """Start a holder with a finished turn or a running one, and a second server that watches."""
    async with scene.server(settings=settings) as first:
        await first.command("prompt", text="one")
        await asyncio.to_thread(scene.model.wait_for_requests, 1)
        async with scene.server(settings=settings) as second:
            status = await wait_state(second, "unavailable")
            titles = [action["title"] for action in status["blocked"]["actions"]]
            assert titles == ["Take over", "Try again"]
            yield first, second


def command_model() -> ReplyFunction:
    """Run ``WAIT``, then stop."""
    return by_turn(calls_reply(("bash", {"command": WAIT})), text_reply("Done."))


def left_over(scene: Scene) -> list[Path]:
    """Requests that nobody took away."""
    return list(scene.home.glob("state/**/*.takeover*"))


async def until_let_go(scene: Scene, first: LspClient, second: LspClient) -> Any:  # noqa: ANN401
    """Take over; check what both sides show; return the status of the new holder."""
    began = time.monotonic()
    status = await second.command("takeOver")
    assert time.monotonic() - began < PATIENCE_MS / 1000
    lost = await wait_state(first, "unavailable")
    assert lost["blocked"]["code"] == "session_in_use"
    assert f"process {second.process.pid}" in lost["blocked"]["title"]
    await first.until("window/showMessage", lambda _: True)
    told = [message["message"] for message in first.notifications["window/showMessage"]]
    assert len(told) == 1
    assert f"process {second.process.pid}" in told[0]
    assert left_over(scene) == []
    return status


async def test_an_idle_session(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with two_windows(scene) as (first, second):
            await wait_state(first, "idle")
            before = scene.digest()
            assert (await until_let_go(scene, first, second))["state"] == "idle"
            assert scene.digest() == before
            await scene.talk(second, "two")
            with pytest.raises(RpcError) as refused:
                await first.command("prompt", text="mine")
            assert refused.value.data["code"] == "session_in_use"
            seen = first.notifications["perdure/status"]
            await first.until("perdure/status", lambda _: seen[-1]["usage"]["input"] == 20)
        assert len(scene.session_files()) == 1
        assert scene.names().count("user") == 2


async def test_a_model_request_is_asked_again(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("answer")]) as scene:
        async with two_windows(scene) as (first, second):
            await until_let_go(scene, first, second)
            await wait_state(second, "idle")
            assert (await first.command("status"))["state"] == "unavailable"
        assert scene.names().count("operationFinished:completed") == 1
        assert scene.model.count == 2


async def test_a_running_command_is_killed(tmp_path: Path) -> None:
    with scene_at(tmp_path, command_model()) as scene:
        async with two_windows(scene) as (first, second):
            await scene.until_file(first, "pid")
            await until_let_go(scene, first, second)
            assert not is_alive(int(scene.text("pid")))
            await wait_state(second, "idle")
        assert scene.names().count("tool:interrupted") == 1
        assert scene.text("effects") == "once\n"


async def test_a_kept_command_goes_on_under_the_new_holder(tmp_path: Path) -> None:
    with scene_at(tmp_path, command_model()) as scene:
        async with two_windows(scene, KEEP) as (first, second):
            await scene.until_file(first, "pid")
            await until_let_go(scene, first, second)
            assert is_alive(int(scene.text("pid")))
            (scene.folder / "go").touch()
            await wait_state(second, "idle")
        assert scene.tool_results() == ["finished\n"]
        assert scene.text("effects") == "once\n"


async def test_there_and_back(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with two_windows(scene) as (first, second):
            await wait_state(first, "idle")
            await until_let_go(scene, first, second)
            assert (await first.command("takeOver"))["state"] == "idle"
            await wait_state(second, "unavailable")
            await scene.talk(first, "two")
        assert scene.names().count("operationFinished:completed") == 2


async def test_a_dead_holder_is_not_asked(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with two_windows(scene) as (first, second):
            await wait_state(first, "idle")
            first.kill()
            await first.wait()
            began = time.monotonic()
            assert (await second.command("takeOver"))["state"] == "idle"
            assert time.monotonic() - began < PATIENCE_MS / 1000
        assert left_over(scene) == []


async def test_a_holder_that_does_not_answer(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with two_windows(scene) as (first, second):
            await wait_state(first, "idle")
            os.kill(first.process.pid, signal.SIGSTOP)
            with pytest.raises(RpcError) as refused:
                await second.command("takeOver")
            assert refused.value.data["code"] == "session_in_use"
            assert f"process {first.process.pid}; close it there" in refused.value.message
            assert left_over(scene) == []
            os.kill(first.process.pid, signal.SIGCONT)
            await asyncio.sleep(1)
            assert (await first.command("status"))["state"] == "idle"


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"pid": 1}', '{"pid": 1, "askedAt": 1}', '{"pid": 1, "askedAt": 99999999999999}'],
)
async def test_a_request_that_nobody_waits_for(tmp_path: Path, content: str) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
            scene.session_file().with_suffix(".takeover").write_text(content)
            await asyncio.sleep(1)
            await scene.talk(client, "two")
        assert len(scene.session_files()) == 1


async def test_taking_what_is_ours_is_harmless(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with scene.server() as client:
            assert (await client.command("takeOver"))["state"] == "none"
            await scene.talk(client, "one")
            before = scene.digest()
            assert (await client.command("takeOver"))["state"] == "idle"
            assert scene.digest() == before


async def test_a_request_is_private(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one")]) as scene:
        async with two_windows(scene) as (first, second):
            await wait_state(first, "idle")
            os.kill(first.process.pid, signal.SIGSTOP)
            asking = asyncio.create_task(second.command("takeOver"))
            async with asyncio.timeout(3):
                while not (found := left_over(scene)):  # noqa: ASYNC110  another process writes it
                    await asyncio.sleep(0.01)
            assert found[0].stat().st_mode & 0o777 == 0o600
            assert json.loads(found[0].read_text())["pid"] == second.process.pid
            os.kill(first.process.pid, signal.SIGCONT)
            assert (await asking)["state"] == "idle"
