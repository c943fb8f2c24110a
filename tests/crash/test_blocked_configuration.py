"""A crash under one configuration, a reopening under another: blocked, and nothing touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.blocked import assert_blocked, assert_shown_no_longer
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

OTHER_MODEL: JsonObject = {"model": {"name": "other-model"}}
SLEEPER = ("bash", '{"command": "echo once >> effects; sleep 300"}')


async def _killed_in_a_request(scene: Scene) -> None:
    async with scene.server() as client:
        await client.command("prompt", text="go")
        scene.model.wait_for_requests(1)
        client.kill()


def _configure(client: LspClient, settings: JsonObject) -> None:
    client.notify("workspace/didChangeConfiguration", {"settings": settings})


@pytest.mark.requirement(1, 21, 29, 30, 48, 49, 54, 69, 70)
@pytest.mark.hazard("Crash under model A, settings now say B: configuration_changed naming both")
async def test_another_model_until_it_is_restored(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _killed_in_a_request(scene)
        async with scene.server(settings=OTHER_MODEL) as client:
            await assert_blocked(
                scene, client, "configuration_changed", "test-model", "other-model"
            )
            _configure(client, scene.settings())
            assert (await client.command("resume"))["outcome"] == "resumed"
            await wait_state(client, "idle")
            await assert_shown_no_longer(client)
        assert scene.names()[-1] == "operationFinished:completed"
        first, second = (request.body for request in scene.model.requests)
        assert first == second


@pytest.mark.requirement(48, 49, 54)
@pytest.mark.hazard("abort of a blocked operation")
async def test_other_instructions_until_it_is_aborted(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        await _killed_in_a_request(scene)
        (scene.folder / "AGENTS.md").write_text("Be brief.")
        async with scene.server() as client:
            await assert_blocked(scene, client, "configuration_changed")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await wait_state(client, "idle")
            await assert_shown_no_longer(client)
        assert scene.names()[-3:] == ["abortRequested", "stepFailed", "operationFinished:aborted"]
        assert scene.model.count == 1


@pytest.mark.requirement(40, 42)
async def test_what_is_no_part_of_the_identity_does_not_block(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _killed_in_a_request(scene)
        other: JsonObject = {
            "approval": {"bash": "deny"},
            "runningCommands": "keep",
            "durability": "full",
            "compaction": {"auto": False},
            "model": {"requestTimeoutSeconds": 5},
        }
        async with scene.server(settings=other) as client:
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.requirement(2, 48, 56, 63)
async def test_in_a_tool_both_differ(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(SLEEPER), text_reply("done"))) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "effects")
            client.kill()
        job: dict[str, str] = {"PERDURE_ENVIRONMENT_IDENTITY": "job-2"}
        async with scene.server(settings=OTHER_MODEL, environ=job) as client:
            await assert_blocked(
                scene, client, "configuration_changed", "test-model", "other-model"
            )
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.text("effects") == "once\n"
        assert scene.names().count("tool:interrupted") == 1
        assert_legal_history(scene.model.requests[-1].body)
