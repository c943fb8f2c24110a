"""A workspace that the user does not trust, through a real server: the agent only reads there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, eventually, scene_at, wait_state

from perdure.cli.lsp_connection import RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

UNTRUSTED: JsonObject = {"trusted": False}


def _system(scene: Scene) -> str:
    messages: Any = scene.model.requests[-1].body["messages"]
    return str(messages[0]["content"])


def _tools(scene: Scene) -> list[str]:
    tools: Any = scene.model.requests[-1].body["tools"]
    return [tool["function"]["name"] for tool in tools]


async def test_nothing_is_written_executed_or_followed(tmp_path: Path) -> None:
    calls = calls_reply(
        ("bash", {"command": "echo ran > ran.txt"}),
        ("write", {"path": "written.txt", "content": "x"}),
        ("read", {"path": "src/a.txt"}),
    )
    with scene_at(tmp_path, by_turn(calls, text_reply("fine"))) as scene:
        (scene.folder / "src").mkdir()
        (scene.folder / "src/a.txt").write_text("contents of the file\n")
        for place in ("AGENTS.md", "src/AGENTS.md"):
            (scene.folder / place).write_text("Whistle.")
        skill = scene.folder / ".agents/skills/pdf/SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text("---\nname: pdf\ndescription: Works with PDF.\n---\nUse it.\n")
        async with scene.server(settings=UNTRUSTED) as client:
            await scene.talk(client, "Look at @src/a.txt")
        assert not (scene.folder / "ran.txt").exists()
        assert not (scene.folder / "written.txt").exists()
        assert len(scene.named("tool:unknownTool")) == 2
        assert "contents of the file" in scene.session_file().read_text()
        assert set(_tools(scene)) == {"read", "grep", "glob", "list"}
        assert "pdf" not in _system(scene)
        assert "Whistle." not in _system(scene) + scene.session_file().read_text()


async def test_unfinished_work_waits_for_trust(tmp_path: Path) -> None:
    replies = [hang_reply(), text_reply("fine"), text_reply("fine")]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="first")
            await asyncio.to_thread(scene.model.wait_for_requests, 1)
            await client.command("prompt", text="second", queue=True)
            client.kill()
        async with scene.server(settings=UNTRUSTED) as client:
            await wait_state(client, "blocked")
            resumed = await client.command("resume")
            assert resumed["outcome"] == "blocked"
        assert scene.model.count == 1
        async with scene.server():
            await eventually(
                lambda: scene.names().count("operationFinished:completed") == 2, seconds=60
            )


async def test_no_run_is_undone(tmp_path: Path) -> None:
    calls = calls_reply(("write", {"path": "written.txt", "content": "x"}))
    with scene_at(tmp_path, by_turn(calls, text_reply("fine"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
        async with scene.server(settings=UNTRUSTED) as client:
            with pytest.raises(RpcError, match="not trusted"):
                await client.command("undo", confirmed=True)
        assert scene.text("written.txt") == "x"
