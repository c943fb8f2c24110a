"""Searching in a real server: without a question, and gone as soon as it is aborted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import children_of, eventually, messages_of, scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

ASK: JsonObject = {"approval": {"bash": "ask", "write": "ask", "edit": "ask"}}


async def test_what_is_found_is_told_without_a_question(tmp_path: Path) -> None:
    replies = [
        calls_reply(("grep", {"pattern": "needle"}), ("glob", {"pattern": "*.py"}), ("list", {})),
        text_reply("done"),
    ]
    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "src").mkdir()
        (scene.folder / "src" / "a.py").write_text("a needle\n")
        (scene.folder / ".env").write_text("needle=1\n")
        async with scene.server(settings=ASK) as client:
            await scene.talk(client, "go")
            assert client.requests["window/showMessageRequest"] == []
        assert scene.tool_results() == ["src/a.py:1:a needle\n", "src/a.py", ".env\nsrc/"]


@pytest.mark.hazard("Abort while connecting, streaming, in `sleep 300`")
async def test_an_abort_ends_a_search_that_takes_for_ever(tmp_path: Path) -> None:
    def reply(_number: int, body: JsonObject) -> Reply:
        is_prompt = messages_of(body)[-1]["role"] == "user"
        return calls_reply(("grep", {"pattern": "(a|aa)+$"})) if is_prompt else text_reply("done")

    with scene_at(tmp_path, reply) as scene:
        (scene.folder / "file.txt").write_text("a" * 60 + "b\n")
        async with scene.server(environ={"PATH": ""}) as client:
            await client.command("prompt", text="go")
            await eventually(lambda: len(children_of(client.process.pid)) == 1)
            begin = time.monotonic()
            assert (await client.command("abort"))["outcome"] == "aborted"
            assert time.monotonic() - begin < 2
            assert children_of(client.process.pid) == []
            await wait_state(client, "idle")
