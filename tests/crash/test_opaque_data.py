"""What a model wants back with its answers: kept beside the session, sent only to that model."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.anthropic_replies import THINKING, message_reply, text_block, use_block
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import Scene, scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

KEY = "sk-ant-test-7d1c0b5e"
SECOND_MODEL: JsonObject = {"model": {"name": "second-model"}}


def with_reasoning(reply: Reply) -> Reply:
    chunk = {"choices": [{"index": 0, "delta": {"reasoning_content": "Hm."}}]}
    return replace(reply, parts=(f"data: {json.dumps(chunk)}\n\n".encode(), *reply.parts))


def kept(scene: Scene) -> Path:
    (path,) = (scene.session_file().with_suffix(".d") / "replay").iterdir()
    return path


def remove(scene: Scene) -> None:
    kept(scene).unlink()


def tear(scene: Scene) -> None:
    kept(scene).write_bytes(kept(scene).read_bytes()[:-9])


def leave(scene: Scene) -> None:
    assert stat.S_IMODE(kept(scene).stat().st_mode) == 0o600
    assert kept(scene).stem == scene.named("assistant")[0]["id"]
    assert b"Hm." not in scene.session_file().read_bytes()


@pytest.mark.parametrize(
    ("meanwhile", "settings", "sent"),
    [(leave, {}, "Hm."), (leave, SECOND_MODEL, None), (remove, {}, None), (tear, {}, None)],
)
async def test_it_goes_back_to_the_model_that_made_it(
    tmp_path: Path, meanwhile: Callable[[Scene], None], settings: JsonObject, sent: str | None
) -> None:
    call = with_reasoning(calls_reply(("bash", {"command": "true"})))
    with scene_at(tmp_path, [call, text_reply("Done."), text_reply("Again.")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            client.kill()
        meanwhile(scene)
        async with scene.server(settings=settings) as client:
            await scene.talk(client, "again")
        bodies = [request.body for request in scene.model.requests]
        assert [_reasoning(body) for body in bodies] == [None, "Hm.", sent]
        assert scene.names()[-1] == "operationFinished:completed"


async def test_a_fork_sends_what_its_origin_would_have_sent(tmp_path: Path) -> None:
    call = with_reasoning(calls_reply(("bash", {"command": "true"})))
    replies = [call, *(text_reply(text) for text in ("Done.", "Again.", "Otherwise."))]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            await scene.talk(client, "again")
            origin = scene.session_file().stem.rpartition("_")[2]
            again = scene.named("user")[1]["id"]
            await client.command("forkSession", sessionId=origin, entryId=again)
            await scene.talk(client, "again")
        *_, before, after = (request.body["messages"] for request in scene.model.requests)
        assert before == after
        assert _reasoning({"messages": after}) == "Hm."


@pytest.mark.hazard("the provider key appears in no session, log or trace")
async def test_thinking_and_parallel_calls_survive_a_crash(tmp_path: Path) -> None:
    calls = [use_block("toolu_1", "env; set"), use_block("toolu_2", "echo two > two; sleep 60")]
    replies = [message_reply(THINKING, *calls), message_reply(text_block("Done."))]
    settings: JsonObject = {"model": {"provider": "anthropic", "apiKeyEnv": "ANTHROPIC_API_KEY"}}
    environ = {"ANTHROPIC_API_KEY": KEY}
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=settings, environ=environ) as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "two")
            client.kill()
        async with scene.server(settings=settings, environ=environ) as client:
            await wait_state(client, "idle")
        messages: Any = scene.model.requests[-1].body["messages"]
        _, assistant, results = messages
        assert assistant["content"] == [THINKING, *calls]
        answered = [(block["type"], block["tool_use_id"]) for block in results["content"]]
        assert answered == [("tool_result", "toolu_1"), ("tool_result", "toolu_2")]
        assert scene.names()[-1] == "operationFinished:completed"
        assert {request.headers["x-api-key"] for request in scene.model.requests} == {KEY}
        files = [path.read_bytes() for path in scene.home.rglob("*") if path.is_file()]
        assert any(b"PATH=" in content for content in files)
        assert not any(KEY.encode() in content for content in files)


def _reasoning(body: JsonObject) -> object:
    messages: Any = body["messages"]
    found = (message.get("reasoning_content") for message in messages)
    return next((text for text in found if text is not None), None)
