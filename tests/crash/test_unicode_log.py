"""Any Unicode text, from a user, a tool or a model: one transaction is one line feed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import messages_of, scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

SEPARATORS = "a\u2028b\u2029c\u0085d\ve\ff\x1cg\x1dh\x1ei\rj\x7fk\ufeffl\U0001f600m"


@pytest.mark.hazard("Tool output with U+2028, U+2029, U+0085, \\v, \\f, \\x1c")
async def test_separators_do_not_separate(tmp_path: Path) -> None:
    def reply(_number: int, body: JsonObject) -> Reply:
        is_prompt = messages_of(body)[-1]["role"] == "user"
        return calls_reply(("read", {"path": "odd"})) if is_prompt else text_reply(SEPARATORS)

    with scene_at(tmp_path, reply) as scene:
        (scene.folder / "odd").write_text(SEPARATORS, newline="")
        async with scene.server() as client:
            await scene.talk(client, SEPARATORS)
            assert await client.shutdown() == 0
        before, count = scene.digest(), len(scene.facts())
        async with scene.server() as client:
            status = await wait_state(client, "idle")
            assert client.notifications["window/showMessage"] == []
            assert (scene.digest(), len(scene.facts())) == (before, count)
            await client.command("prompt", text="again", sessionId=status["sessionId"])
            await wait_state(client, "idle")
        prompt, call, result, answer, *_ = messages_of(scene.model.requests[-1].body)
        assert prompt["content"] == SEPARATORS
        assert answer["content"] == SEPARATORS
        assert SEPARATORS in result["content"]
        assert call["content"] is None


@pytest.mark.hazard("Lone surrogates from a model: stored and sent as U+FFFD")
async def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    write: JsonObject = {"path": "odd", "content": "c\ud83d"}

    def reply(_number: int, body: JsonObject) -> Reply:
        is_prompt = messages_of(body)[-1]["role"] == "user"
        return calls_reply(("write", write), text="t\ude00") if is_prompt else text_reply("a\ud800")

    with scene_at(tmp_path, reply) as scene:
        async with scene.server() as client:
            await scene.talk(client, "p\udc00")
            client.kill()
        async with scene.server() as client:
            await scene.talk(client, "again")
        prompt, call, _, answer, *_ = messages_of(scene.model.requests[-1].body)
        assert prompt["content"] == "p\ufffd"
        assert call["content"] == "t\ufffd"
        assert json.loads(call["tool_calls"][0]["function"]["arguments"])["content"] == "c\ufffd"
        assert answer["content"] == "a\ufffd"
        assert scene.text("odd") == "c\ufffd"
        assert scene.names().count("operationFinished:completed") == 2


@pytest.mark.hazard("cutting an emoji at a byte limit")
async def test_a_cut_emoji_does_not_make_the_session_unsendable(tmp_path: Path) -> None:
    def reply(_number: int, body: JsonObject) -> Reply:
        is_prompt = messages_of(body)[-1]["role"] == "user"
        command: JsonObject = {"command": "cat odd"}
        return calls_reply(("bash", command)) if is_prompt else text_reply("fine")

    with scene_at(tmp_path, reply) as scene:
        (scene.folder / "odd").write_bytes(b"x" + "\U0001f600".encode() * 15_000)
        async with scene.server() as client:
            await scene.talk(client, "one", "two")
            assert scene.names()[-1] == "operationFinished:completed"
        assert len(scene.tool_results()[0].encode()) < 60_000
