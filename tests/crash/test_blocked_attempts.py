"""Two crashes in one model request: a third attempt is the user's decision."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.blocked import assert_blocked
from tests.support.model_replies import hang_reply
from tests.support.scene import scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


@pytest.mark.requirement(19, 22, 28, 35, 48, 49, 57, 58, 59, 69, 70, 137)
@pytest.mark.hazard("A second interruption of the same request shows attempts_exhausted with Abort")
async def test_attempts_exhausted(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: hang_reply()) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server() as client:
            scene.model.wait_for_requests(2)
            client.kill()
        first, second = scene.records("stepAttempt")
        assert (first["attempt"], second["attempt"]) == (1, 2)
        assert first["stepId"] == second["stepId"]
        assert scene.model.requests[0].body == scene.model.requests[1].body
        other: JsonObject = {"model": {"name": "other"}}
        async with scene.server(settings=other) as client:
            await assert_blocked(scene, client, "configuration_changed", "test-model", "other")
        async with scene.server() as client:
            await assert_blocked(scene, client, "attempts_exhausted")
            assert (await client.command("abort"))["outcome"] == "aborted"
        assert scene.names()[-3:] == ["abortRequested", "stepFailed", "operationFinished:aborted"]
        assert scene.model.count == 2


@pytest.mark.requirement(27, 28, 31)
async def test_a_failed_request_is_no_crash(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            assert scene.names()[-2:] == ["stepFailed", "operationFinished:failed"]
            assert (await client.command("resume"))["outcome"] == "idle"
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.model.count == 1
