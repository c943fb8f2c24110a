"""Effects belong to an environment: in another one they are neither repeated nor given up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.blocked import assert_blocked
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, scene_at, wait_state

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

READ = ("read", '{"path": "a"}')


def _job(name: str) -> dict[str, str]:
    return {"PERDURE_ENVIRONMENT_IDENTITY": name}


@pytest.mark.requirement(45, 48, 49, 55, 69, 70)
async def test_another_job_in_a_request(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        async with scene.server(environ=_job("job-1 ")) as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server(environ=_job("job-2")) as client:
            await assert_blocked(scene, client, "environment_changed", "job-1", "job-2")
        async with scene.server(environ=_job("job-1")) as client:
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:completed"


@pytest.mark.requirement(2, 26, 43, 44, 48, 62, 67)
@pytest.mark.hazard("Renamed workspace: environment_changed with old and new path")
async def test_a_renamed_workspace_during_a_tool(tmp_path: Path) -> None:
    call = ("bash", '{"command": "echo once >> effects; sleep 300"}')
    with scene_at(tmp_path, [calls_reply(call), text_reply("done")]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "effects")
            client.kill()
        old = scene.folder
        assert scene.records("toolStarted")[0]["environmentIdentity"] == str(old)
        scene.folder = old.rename(old.with_name("renamed"))
        async with scene.server() as client:
            await assert_blocked(scene, client, "environment_changed", str(old), str(scene.folder))
            assert (await client.command("abort"))["outcome"] == "aborted"
            assert scene.names()[-3:] == [
                "abortRequested",
                "tool:interrupted",
                "operationFinished:aborted",
            ]
            await client.command("prompt", text="go on here")
            await wait_state(client, "idle")
        assert scene.text("effects") == "once\n"
        assert len(scene.session_files()) == 2


@pytest.mark.requirement(26, 48, 62)
async def test_an_intent_of_another_environment(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(READ), text_reply("done"))) as scene:
        await _cut_in_a_read(scene, environmentIdentity="elsewhere")
        async with scene.server() as client:
            await assert_blocked(scene, client, "environment_changed", "elsewhere")


@pytest.mark.requirement(25, 26, 46, 48, 49, 65, 69, 70)
async def test_another_implementation_of_read(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(READ), text_reply("done"))) as scene:
        await _cut_in_a_read(scene, replayKey="builtin:read:v0")
        async with scene.server() as client:
            await assert_blocked(
                scene, client, "replay_declaration_changed", "builtin:read:v0", "builtin:read:v1"
            )
        scene.patch_last(replayKey="builtin:read:v1")
        requests = scene.model.count
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.model.count == requests + 1
        assert scene.tool_results() == ["hello"]
        assert scene.names().count("toolStarted") == 1


async def _cut_in_a_read(scene: Scene, **changes: str) -> None:
    """Leave a session whose last record is a started read, changed in one member."""
    (scene.folder / "a").write_text("hello")
    async with scene.server() as client:
        await scene.talk(client, "read it")
        assert await client.shutdown() == 0
    scene.cut_after("toolStarted")
    scene.patch_last(**changes)
