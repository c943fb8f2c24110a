"""What is asked about and what is not, in the whole product."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.scene import APPROVES, scene_at

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

ASK: JsonObject = {"approval": {"bash": "ask", "edit": "ask"}}


def _bash(command: str) -> tuple[str, JsonObject]:
    return "bash", {"command": command}


async def test_the_same_call_three_times_in_a_row_is_asked_about(tmp_path: Path) -> None:
    again = calls_reply(_bash("echo x >> effects"))
    replies = by_turn(again, again, again, calls_reply(_bash("ls")), text_reply("done"))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(capabilities=APPROVES) as client:
            client.on_request("perdure/approve", lambda _: {"decision": "deny", "message": "Stop."})
            await scene.talk(client, "go")
            [asked] = client.requests["perdure/approve"]
        assert "three times in a row" in asked["reason"]
        assert scene.text("effects") == "x\nx\n"
        assert "Stop." in scene.tool_results()[2]


async def test_chains_are_judged_by_parts_that_the_user_sees_and_edits(tmp_path: Path) -> None:
    replies = by_turn(
        calls_reply(
            _bash("echo a >> effects && echo b >> effects"),
            _bash("echo b >> effects; echo a >> effects"),
            _bash("echo b >> effects"),
            _bash("echo b >> effects; echo c >> effects"),
            _bash("echo $(echo b >> effects)"),
        ),
        text_reply("done"),
    )
    with scene_at(tmp_path, replies) as scene:
        async with scene.server(settings=ASK, capabilities=APPROVES) as client:
            answers = iter(["allowForWorkspace", "deny", "deny"])
            client.on_request("perdure/approve", lambda _: {"decision": next(answers)})
            await scene.talk(client, "go")
            asked = [ask["arguments"]["command"] for ask in client.requests["perdure/approve"]]
            told = [shown["message"] for shown in client.notifications["window/showMessage"]]
        assert asked == [
            "echo a >> effects && echo b >> effects",
            "echo b >> effects; echo c >> effects",
            "echo $(echo b >> effects)",
        ]
        assert scene.text("effects").split() == ["a", "b", "b", "a", "b"]
        [file] = scene.home.rglob("allowances.json")
        assert any(str(file) in message for message in told)
        assert json.loads(file.read_text()) == ["bash:echo a >> effects", "bash:echo b >> effects"]


async def test_a_client_without_approve_sees_what_changes(tmp_path: Path) -> None:
    edit: JsonObject = {"path": "a.txt", "edits": [{"oldText": "two", "newText": "TWO"}]}
    replies = by_turn(calls_reply(("edit", edit), _bash("make all")), text_reply("done"))
    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "a.txt").write_text("one\ntwo\nthree\n")
        async with scene.server(settings=ASK, choose="Deny") as client:
            await scene.talk(client, "go")
            shown, command = client.requests["window/showMessageRequest"]
        assert shown["message"].split("\n") == ["edit: a.txt", "@@ -2 +2 @@", "-two", "+TWO"]
        assert command["message"].split("\n")[1:] == ["make all", f"in {scene.folder}"]
