"""``perdure acp``, driven by the SDK's own client: prompt, approve, deny, cancel."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from acp import RequestError, resource_link_block, text_block
from acp.helpers import embedded_text_resource, image_block, resource_block
from tests.support.acp_client import ALLOWED, acp_at
from tests.support.model_replies import (
    by_turn,
    calls_reply,
    error_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.model_server import assert_legal_history
from tests.support.scene import eventually, messages_of, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

WRITE: tuple[str, JsonObject] = ("write", {"path": "a.txt", "content": "new\n"})
EDIT: tuple[str, JsonObject] = (
    "edit",
    {"path": "a.txt", "edits": [{"oldText": "old", "newText": "new"}]},
)
SLEEPER: tuple[str, JsonObject] = ("bash", {"command": "echo begun >> effects; sleep 300"})


async def test_a_turn_with_an_edit(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(EDIT, text="Look."), text_reply("Done."))) as scene:
        (scene.folder / "a.txt").write_text("old\n")
        async with acp_at(scene) as acp:
            response = await acp.prompt("go")
            (call,) = acp.client.named("tool_call")
            ((asked, options),) = acp.client.asked
            updates = acp.client.named("tool_call_update")
        path = str(scene.folder / "a.txt")
    assert response.stop_reason == "end_turn"
    assert acp.client.text() == "Look.Done."
    assert acp.client.text("user_message_chunk") == ""
    assert (call.kind, call.status, call.title) == ("edit", "pending", "edit: a.txt")
    assert [location.path for location in call.locations] == [path]
    assert asked.tool_call_id == call.tool_call_id
    assert {option.kind for option in options} == {"allow_once", "allow_always", "reject_once"}
    for content in (asked.content, updates[-1].content):
        (diff,) = list(content or [])
        assert (diff.type, diff.path, diff.old_text, diff.new_text) == (
            "diff",
            path,
            "old\n",
            "new\n",
        )
    assert acp.client.statuses() == ["pending", "in_progress", "completed"]


async def test_what_is_denied_is_not_done(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(calls_reply(WRITE), text_reply("Well."))) as scene:
        async with acp_at(scene, option="deny") as acp:
            assert (await acp.prompt("go")).stop_reason == "end_turn"
        assert scene.text("a.txt") == ""
    assert acp.client.statuses() == ["pending", "in_progress", "failed"]


async def test_allowed_for_the_session_is_asked_once(tmp_path: Path) -> None:
    other = ("write", JsonObject({"path": "b.txt", "content": "new\n"}))
    replies = by_turn(calls_reply(WRITE), calls_reply(other), text_reply("Done."))
    with scene_at(tmp_path, replies) as scene:
        async with acp_at(scene, option="allowForSession") as acp:
            await acp.prompt("go")
        assert (scene.text("a.txt"), scene.text("b.txt")) == ("new\n", "new\n")
    assert len(acp.client.asked) == 1


@pytest.mark.parametrize("phase", ["model", "tool", "approval"])
async def test_cancel(tmp_path: Path, phase: str) -> None:
    reply = hang_reply(text_reply("One moment"), after=1) if phase == "model" else None
    replies = [reply or calls_reply(SLEEPER), text_reply("Again.")]
    with scene_at(tmp_path, replies) as scene:
        settings = "" if phase == "approval" else ALLOWED
        async with acp_at(scene, option=None, settings=settings) as acp:
            turn = asyncio.create_task(acp.prompt("go"))
            if phase == "tool":
                await eventually(lambda: scene.text("effects") != "")
            elif phase == "approval":
                await acp.until(lambda: bool(acp.client.asked))
            else:
                await acp.until(lambda: acp.client.text() != "")
            await acp.connection.cancel(session_id=acp.session_id)
            acp.client.cancel_permissions()
            assert (await turn).stop_reason == "cancelled"
            assert scene.names()[-1] == "operationFinished:aborted"
            assert (await acp.prompt("again")).stop_reason == "end_turn"
        assert_legal_history(scene.model.requests[-1].body)


async def test_a_failed_run_is_an_error_that_says_why(tmp_path: Path) -> None:
    with scene_at(tmp_path, [error_reply(429, "slow down", {"retry-after": "7"})]) as scene:
        async with acp_at(scene) as acp:
            with pytest.raises(RequestError, match="slow down") as failed:
                await acp.prompt("go")
    assert failed.value.data == {"code": "model_error"}


async def test_two_sessions_of_a_folder_work_at_the_same_time(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: slow_reply(text_reply("Done."), seconds=0.3)) as scene:
        async with acp_at(scene) as acp:
            other = await acp.connection.new_session(cwd=str(scene.folder), mcp_servers=[])
            first, second = await asyncio.gather(
                acp.prompt("one"),
                acp.connection.prompt(session_id=other.session_id, prompt=[text_block("two")]),
            )
        assert (first.stop_reason, second.stop_reason) == ("end_turn", "end_turn")
        assert len(scene.session_files()) == 2


async def test_files_of_a_prompt_are_attached_and_named(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Yes.")]) as scene:
        (scene.folder / "a b.py").write_text("on_disk = 1\n")
        uri = (scene.folder / "a b.py").as_uri()
        async with acp_at(scene) as acp:
            await acp.connection.prompt(
                session_id=acp.session_id,
                prompt=[
                    text_block("Look at "),
                    resource_link_block("a b.py", uri),
                    text_block(" and "),
                    resource_block(embedded_text_resource("zed://buffer", "unsaved = 2")),
                    image_block("AA==", "image/png"),
                ],
            )
        (message,) = messages_of(scene.model.requests[0].body)
    text = str(message["content"])
    assert "Look at a b.py and zed://buffer[Image left out]" in text
    assert "on_disk = 1" in text
    assert "unsaved = 2" in text


async def test_what_is_wrong_is_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("Yes.")]) as scene:
        async with acp_at(scene) as acp:
            folder, client = str(scene.folder), acp.connection
            for wrong in (
                client.load_session(cwd=folder, session_id="no-such", mcp_servers=[]),
                client.prompt(session_id="no-such", prompt=[text_block("go")]),
                client.new_session(cwd=f"{folder}/nowhere", mcp_servers=[]),
                client.new_session(cwd="relative", mcp_servers=[]),
            ):
                with pytest.raises(RequestError):
                    await wrong
            assert (await acp.prompt("go")).stop_reason == "end_turn"
