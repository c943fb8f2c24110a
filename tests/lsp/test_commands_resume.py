"""What reopening a workspace does with an unfinished operation, and ``perdure.resume``."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import Scene, scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

ASK: JsonObject = {"resume": "ask"}
NEVER: JsonObject = {"resume": "never"}
DAY_MS = 24 * 60 * 60 * 1000


async def _leave_unfinished(scene: Scene) -> None:
    async with scene.server() as client:
        await client.command("prompt", text="go")
        scene.model.wait_for_requests(1)
        client.kill()


@pytest.mark.requirement(1, 19, 34, 57, 71, 136)
@pytest.mark.hazard("A second resume calls nothing and writes nothing")
async def test_auto_goes_on_and_says_so_once(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _leave_unfinished(scene)
        async with scene.server() as client:
            await wait_state(client, "idle")
            (told,) = client.requests["window/showMessageRequest"]
            assert told["message"].startswith("Resumed: ")
            assert [action["title"] for action in told["actions"]] == ["Abort"]
            before = scene.digest()
            for _ in range(2):
                assert (await client.command("resume"))["outcome"] == "idle"
            assert (scene.digest(), scene.model.count) == (before, 2)
        first, second = (request.body for request in scene.model.requests)
        assert first == second


async def test_abort_on_the_message_that_says_so(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), hang_reply()]) as scene:
        await _leave_unfinished(scene)
        async with scene.server(choose="Abort") as client:
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:aborted"


async def test_a_late_answer_aborts_nothing_else(tmp_path: Path) -> None:
    answer = asyncio.Event()

    async def late(_: object) -> JsonObject:
        await answer.wait()
        return {"title": "Abort"}

    with scene_at(tmp_path, [hang_reply(), text_reply("done"), hang_reply()]) as scene:
        await _leave_unfinished(scene)
        async with scene.server() as client:
            client.on_request("window/showMessageRequest", late)
            await wait_state(client, "idle")
            await client.command("prompt", text="another")
            scene.model.wait_for_requests(3)
            answer.set()
            assert (await client.command("wait", timeoutSeconds=0.3))["state"] == "running"


@pytest.mark.requirement(21, 54)
async def test_resume_on_a_question_means_the_settings_of_now(tmp_path: Path) -> None:
    answer = asyncio.Event()

    async def late(_: object) -> JsonObject:
        await answer.wait()
        return {"title": "Resume"}

    with scene_at(tmp_path, [hang_reply()]) as scene:
        await _leave_unfinished(scene)
        async with scene.server(settings=ASK) as client:
            client.on_request("window/showMessageRequest", late)
            await wait_state(client, "suspended")
            other: JsonObject = {"model": {"provider": "demo"}}
            client.notify("workspace/didChangeConfiguration", {"settings": other})
            await client.command("status")
            answer.set()
            status = await wait_state(client, "blocked")
            assert status["blocked"]["code"] == "configuration_changed"
        assert scene.model.count == 1


@pytest.mark.parametrize(
    ("choice", "end"),
    [("Resume", "operationFinished:completed"), ("Abort", "operationFinished:aborted")],
)
async def test_ask(tmp_path: Path, choice: str, end: str) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _leave_unfinished(scene)
        async with scene.server(settings=ASK, choose=choice) as client:
            await wait_state(client, "idle")
        assert scene.names()[-1] == end


async def test_ask_without_a_decision_stays_suspended(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _leave_unfinished(scene)
        before = scene.digest()
        async with scene.server(settings=ASK) as client:
            status = await client.command("wait", timeoutSeconds=5)
            assert status["state"] == "suspended"
            assert status["plan"]["type"] == "startStep"
            assert (scene.digest(), scene.model.count) == (before, 1)
            assert (await client.command("resume"))["outcome"] == "resumed"
            await wait_state(client, "idle")


@pytest.mark.requirement(1, 7, 9)
async def test_never_waits_for_the_command(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("done")]) as scene:
        await _leave_unfinished(scene)
        before = scene.digest()
        async with scene.server(settings=NEVER) as client:
            assert (await client.command("status"))["state"] == "suspended"
            assert client.requests["window/showMessageRequest"] == []
            assert (scene.digest(), scene.model.count) == (before, 1)
            resumed = await client.command("resume")
            assert resumed["outcome"] == "resumed"
            assert resumed["plan"]["attempt"] == 2
            await wait_state(client, "idle")


async def test_what_is_older_than_a_day_is_asked_about(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        await _leave_unfinished(scene)
        _age(scene, DAY_MS + 60_000)
        async with scene.server() as client:
            await wait_state(client, "suspended")
            await client.command("status")
            assert len(client.requests["window/showMessageRequest"]) == 1
        assert scene.model.count == 1


def _age(scene: Scene, age_ms: int) -> None:
    """Make all facts of the session older."""
    header, *lines = scene.session_file().read_bytes().split(b"\n")[:-1]
    aged = [header]
    for line in lines:
        value = json.loads(line)
        for fact in value if isinstance(value, list) else [value]:
            fact["timestamp"] -= age_ms
        aged.append(json.dumps(value).encode())
    scene.rewrite(b"\n".join([*aged, b""]))
