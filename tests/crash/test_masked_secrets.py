"""Setting ``maskSecrets``: secrets in results are masked for display and model, not in the log."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.support.blocked import assert_blocked
from tests.support.cli import new_cli
from tests.support.model_replies import Reply, by_turn, calls_reply, hang_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, messages_of, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("`.env` values, `sk-…`, `ghp_…`, PEM blocks in tool output"),
]

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" * 2
PRINT: tuple[str, JsonObject] = ("bash", {"command": f"echo token {TOKEN}"})
READ: tuple[str, JsonObject] = ("read", {"path": "notes.txt"})
MASKED: JsonObject = {"maskSecrets": True}
MARK = "[masked: GitHub token]"


async def _document(client: LspClient) -> str:
    session_id = (await client.command("status"))["sessionId"]
    answer = await client.request("perdure/transcript", {"uri": f"perdure:/{session_id}.md"})
    text = answer["text"]
    assert isinstance(text, str)
    return text


def _sent(scene: Scene, request: int) -> str:
    return json.dumps(scene.model.requests[request].body, ensure_ascii=False)


async def test_the_log_has_it_and_nobody_else_sees_it(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(READ, PRINT), text_reply("done"))
    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "notes.txt").write_text(f"remember {TOKEN}\n")
        async with scene.server(settings=MASKED) as client:
            await scene.talk(client, "go", "again")
            shown = await _document(client)
            found = await client.command("searchSessions", query="token")
            exported = await client.command("exportSession")
            kinds = {delta["kind"] for delta in client.notifications["perdure/delta"]}
            assert kinds == {"text", "toolArguments"}
        assert all(TOKEN in result for result in scene.tool_results())
        first = _sent(scene, 1)
        assert TOKEN not in first.replace(f"echo token {TOKEN}", "")
        assert f"remember {MARK}" in first
        assert "Secrets in the results of tools are masked" in first
        assert first.count(MARK) == 2
        for request in scene.model.requests:
            assert_legal_history(request.body)
        before, after = (messages_of(scene.model.requests[n].body) for n in (1, 2))
        assert after[: len(before)] == before
        for text in (shown, exported["markdown"]):
            assert f"remember {MARK}" in text
            assert f"remember {TOKEN}" not in text
        assert TOKEN not in json.dumps(found)


async def test_what_is_attached_and_mentioned_is_masked_too(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("fine")]) as scene:
        (scene.folder / "notes.txt").write_text(f"remember {TOKEN}\n")
        async with scene.server(settings=MASKED) as client:
            await scene.talk(client, "Look at @notes.txt")
        assert f"remember {MARK}" in _sent(scene, 0)
        assert TOKEN.encode() not in scene.session_file().read_bytes()


async def test_a_summary_is_made_of_masked_results(tmp_path: Path) -> None:
    def replies(number: int, body: JsonObject) -> Reply:
        if "tools" not in body:
            return text_reply("short")
        return calls_reply(READ) if number == 1 else text_reply("fine")

    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "notes.txt").write_text(f"remember {TOKEN}\n")
        async with scene.server(settings=MASKED) as client:
            await scene.talk(client, "one", "two", "three", "four")
            await client.command("compact")
            await wait_state(client, "idle")
        assert scene.names().count("compaction") == 1
        assert MARK in _sent(scene, -1)
        assert all(TOKEN not in _sent(scene, number) for number in range(scene.model.count))


@pytest.mark.requirement(48)
async def test_the_setting_is_part_of_the_configuration(tmp_path: Path) -> None:
    """Else the second attempt would send something else than the first."""
    replies = [calls_reply(READ), hang_reply(), text_reply("done")]
    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "notes.txt").write_text(f"remember {TOKEN}\n")
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await asyncio.to_thread(scene.model.wait_for_requests, 2)
            client.kill()
        async with scene.server(settings=MASKED) as client:
            await assert_blocked(scene, client, "configuration_changed")
            (detail,) = (await client.command("status"))["blocked"]["details"]
            assert "+Secrets in the results of tools are masked" in detail["diff"]
            await client.command("resumeRecorded")
            await wait_state(client, "idle")
        first, second = (request.body for request in scene.model.requests[1:])
        assert first == second
        assert f"remember {TOKEN}" in json.dumps(second)


async def test_the_command_line_masks_what_it_exports(tmp_path: Path) -> None:
    cli = new_cli(tmp_path)
    script = f"call: bash {json.dumps({'command': f'echo {TOKEN[:20]}{TOKEN[20:]}'})}"
    done = await asyncio.to_thread(cli.run, "run", "--allow", "bash", f"{script}\n---\ntext: done")
    assert done.returncode == 0, done.stderr
    (session,) = cli.sessions
    cli.configure("maskSecrets = true\n")
    exported = await asyncio.to_thread(cli.run, "session", "export", session)
    assert MARK.encode() in exported.stdout
