"""Context that goes with a prompt, through a real server: attachments, mentions, skills."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.blocked import assert_blocked
from tests.support.cli import new_cli
from tests.support.editor import Editor
from tests.support.model_replies import by_turn, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, messages_of, scene_at, wait_state

from perdure.cli.lsp_client import RpcError
from perdure.core.user_content import HEAD
from perdure.json_types import JsonObject, JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

SKILL = "---\nname: pdf\ndescription: Works with PDF files.\n---\nUse `pdftotext`.\n"


def _prompts(scene: Scene) -> list[str]:
    return [fact["entry"]["message"]["content"] for fact in scene.named("user")]


def _system(body: JsonObject) -> str:
    (message,) = [m for m in _all_messages(body) if m["role"] == "system"]
    return str(message["content"])


def _all_messages(body: JsonObject) -> list[Any]:
    messages = body["messages"]
    assert isinstance(messages, list)
    return list(messages)


def _skill(folder: Path, text: str = SKILL) -> Path:
    file = folder / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return file


async def test_the_model_sees_what_the_editor_shows(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        file = scene.folder / "src/a.py"
        file.parent.mkdir()
        file.write_text("saved = 1\n")
        (scene.folder / "src/AGENTS.md").write_text("Whistle.")
        async with scene.server() as client:
            Editor(client, file, "unsaved = 2\n")
            attachments: JsonValue = [{"kind": "file", "uri": file.as_uri()}]
            await client.command("prompt", text="Explain @src/a.py:1", attachments=attachments)
            await wait_state(client, "idle")
            await scene.talk(client, "And @src/a.py")
        first, second = _prompts(scene)
        assert first.startswith(f"Explain @src/a.py:1\n\n{HEAD}\n\nInstructions for work in `src`")
        assert first.count("unsaved = 2") == 2
        assert "Whistle." not in second
        assert "saved = 1" not in first + second
        last = scene.model.requests[-1].body
        assert [m["content"] for m in messages_of(last)][::2] == [first, second]


async def test_attachments_wait_with_their_prompt_and_mentions_are_read_when_it_starts(
    tmp_path: Path,
) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("fine"), text_reply("fine")]) as scene:
        noted = scene.folder / "note.txt"
        noted.write_text("early\n")
        selection: JsonObject = {"kind": "selection", "uri": noted.as_uri(), "text": "chosen"}
        async with scene.server() as client:
            await client.command("prompt", text="first")
            await asyncio.to_thread(scene.model.wait_for_requests, 1)
            queued = await client.command(
                "prompt", text="Look @note.txt", queue=True, attachments=[selection]
            )
            edited = {"queuedId": queued["queuedId"], "text": "Look again @note.txt"}
            (item,) = (await client.command("queueEdit", **edited))["items"]
            assert item == edited
            noted.write_text("late\n")
            await client.command("abort")
            await client.command("resume")
            await scene.until_fact(client, "operationFinished:completed")
        content = _prompts(scene)[1]
        assert content.startswith("Look again @note.txt\n\n")
        assert "chosen" in content
        assert "late" in content
        assert "early" not in content


async def test_a_prompt_with_a_wrong_attachment_changes_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        async with scene.server() as client:
            wrong_ones: list[JsonValue] = [
                {"kind": "diagnostics", "uri": "file:///a"},
                {"kind": "file"},
            ]
            for attachment in wrong_ones:
                with pytest.raises(RpcError) as wrong:
                    await client.command("prompt", text="go", attachments=[attachment])
                assert wrong.value.data["code"] == "invalid_params"
                assert "arguments[0].attachments[0]" in wrong.value.message
        assert scene.session_files() == []


async def test_the_user_is_told_what_is_left_out(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("fine")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "Look at @shot.png and @../secret.txt")
            told = await client.until("window/showMessage", bool)
        assert "@shot.png stays as it is typed: there is no such file." in told["message"]
        assert "../secret.txt is outside of the workspace." in told["message"]
        assert _prompts(scene) == ["Look at @shot.png and @../secret.txt"]


async def test_paths_are_completed(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        (scene.folder / "src").mkdir()
        (scene.folder / "src/app.py").touch()
        async with scene.server() as client:
            assert await client.command("complete", prefix="s") == {"paths": ["src/"]}
            assert await client.command("complete", prefix="src/") == {"paths": ["src/app.py"]}


async def test_a_skill_is_listed_and_read_on_demand(tmp_path: Path) -> None:
    location = "~/.agents/skills/pdf/SKILL.md"
    replies = by_turn(
        calls_reply(
            ("read", {"path": location}),
            ("read", {"path": "~/.agents/skills/pdf/../../secret"}),
            ("write", {"path": location, "content": "mine"}),
        ),
        text_reply("fine"),
    )
    with scene_at(tmp_path, replies) as scene:
        file = _skill(scene.home / ".agents/skills/pdf")
        (scene.home / ".agents/secret").write_text("secret")
        _skill(scene.folder / ".claude/skills/bad", "no front matter")
        async with scene.server() as client:
            await scene.talk(client, "go", "again")
            told = client.notifications["window/showMessage"]
            assert [message["message"].split(":")[0] for message in told] == [
                "The skill '.claude/skills/bad/SKILL.md' is left out"
            ]
        read, escape, _ = scene.tool_results()[:3]
        assert read == SKILL
        assert "is outside of the workspace" in escape
        assert file.read_text() == SKILL
        system = _system(scene.model.requests[0].body)
        assert f"<location>{location}</location>" in system
        assert "pdftotext" not in system
        assert str(scene.home) not in system


@pytest.mark.requirement(48)
async def test_another_list_of_skills_is_another_configuration(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("fine")]) as scene:
        file = _skill(scene.folder / ".agents/skills/pdf")
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await asyncio.to_thread(scene.model.wait_for_requests, 1)
            client.kill()
        file.write_text(SKILL.replace("PDF", "DVI"))
        async with scene.server() as client:
            await assert_blocked(scene, client, "configuration_changed")
            (detail,) = (await client.command("status"))["blocked"]["details"]
            assert detail["field"] == "system prompt: skills"
            assert "-<description>Works with PDF files.</description>" in detail["diff"]
        file.write_text(SKILL + "Another body.\n")
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:completed"


async def test_a_prompt_on_the_command_line_mentions_files_too(tmp_path: Path) -> None:
    cli = new_cli(tmp_path)
    (cli.folder / "note.txt").write_text("remember\n")
    done = await asyncio.to_thread(cli.run, "run", "Look at @note.txt and @gone.txt")
    assert done.returncode == 0, done.stderr
    assert b"@gone.txt stays as it is typed" in done.stderr
    assert b"remember" in cli.sessions[0].read_bytes()
