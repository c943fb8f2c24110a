"""A renamed folder: the run is aborted where it began, and the talk goes on in the new place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import scene_at, wait_state

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

SLEEPER = ("bash", '{"command": "echo once >> effects; sleep 300"}')


@pytest.mark.requirement(50, 55)
async def test_a_command_that_was_killed_is_not_repeated(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(SLEEPER), text_reply("done"))) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "effects")
            client.kill()
        scene.folder = scene.folder.rename(scene.folder.with_name("renamed"))
        async with scene.server() as client:
            blocked = (await wait_state(client, "blocked"))["blocked"]
            assert blocked["code"] == "environment_changed"
            (action,) = (a for a in blocked["actions"] if a["command"] == "perdure.relocate")
            assert action["title"] == "Relocate to this folder"
            status = await client.command("relocate", **action["arguments"][0])
            assert status["state"] == "idle"
            old, new = scene.session_files()
            assert '"reason":"interrupted"' in old.read_text()
            assert '"outcome":"aborted"' in old.read_text().splitlines()[-1]
            header = json.loads(new.read_text().splitlines()[0])
            assert header["id"] == status["sessionId"]
            assert header["environmentIdentity"] == str(scene.folder)
            await scene.talk(client, "go on")
        assert scene.text("effects") == "once\n"
        assert_legal_history(scene.model.requests[-1].body)
