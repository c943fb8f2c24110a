"""Two servers on one workspace: one writes, the other watches and can take over."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.cli.lsp_client import LspClient, RpcError

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("Second server on the same workspace: sees the session read-only"),
]

TAKE_OVER_SECONDS = 5
"""Far less than any time-out that could be waited for; on a machine of its own it is below one."""


async def test_the_second_follows_and_writes_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), hang_reply(), text_reply("three")]) as scene:
        async with scene.server() as first:
            await scene.talk(first, "one")
            async with scene.server() as second:
                seen = await wait_state(second, "unavailable")
                assert seen["blocked"]["code"] == "session_in_use"
                assert seen["usage"]["input"] == 10
                await first.command("prompt", text="two")
                scene.model.wait_for_requests(2)
                await second.until("perdure/status", lambda status: status["operation"])
                before = scene.digest()
                for command in ("prompt", "abort", "resume", "compact", "newSession"):
                    await _is_refused(second, command, first)
                assert scene.digest() == before
                assert await first.shutdown() == 0
                began = time.monotonic()
                assert (await second.command("resume"))["outcome"] in ("resumed", "running")
                assert time.monotonic() - began < TAKE_OVER_SECONDS
                await wait_state(second, "idle")
        assert scene.names()[-1] == "operationFinished:completed"
        assert scene.model.count == 3


async def _is_refused(second: LspClient, command: str, first: LspClient) -> None:
    argument = {"text": "mine"} if command == "prompt" else {}
    with pytest.raises(RpcError) as refused:
        await second.command(command, **argument)
    assert refused.value.data["code"] == "session_in_use"
    assert refused.value.data["status"]["state"] == "unavailable"
    assert f"process {first.process.pid}" in refused.value.message


async def test_the_lock_is_free_when_the_first_is_killed(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("one"), text_reply("two")]) as scene:
        async with scene.server() as first:
            await scene.talk(first, "one")
            async with scene.server() as second:
                status = await wait_state(second, "unavailable")
                assert status["blocked"]["code"] == "session_in_use"
                assert str(first.process.pid) in status["blocked"]["title"]
                first.kill()
                await first.wait()
                began = time.monotonic()
                await second.command("prompt", text="two")
                assert time.monotonic() - began < TAKE_OVER_SECONDS
                await wait_state(second, "idle")
        assert len(scene.session_files()) == 1
        assert scene.names().count("user") == 2


@pytest.mark.requirement(2)
async def test_two_that_open_at_once_are_one_that_goes_on(tmp_path: Path) -> None:
    call = calls_reply(("bash", {"command": "echo once >> effects"}))
    with scene_at(tmp_path, by_turn(call, text_reply("done"))) as scene:
        async with scene.server(settings={"approval": {"bash": "ask"}}) as client:
            await client.command("prompt", text="go")
            await wait_state(client, "waitingForApproval")
            client.kill()
        async with scene.server() as first, scene.server() as second:
            states = [
                (await wait_state(client, "idle", "unavailable"))["state"]
                for client in (first, second)
            ]
            assert sorted(states) == ["idle", "unavailable"]
        assert scene.text("effects") == "once\n"
        assert scene.model.count == 2
