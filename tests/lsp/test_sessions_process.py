"""Whole sessions from an editor: rename, search, delete, export, fork."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import Reply, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, messages_of, scene_at, summarising, wait_state

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.core.reducer import Reduced, reduce_session
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

UNKNOWN = "01900000-0000-7000-8000-000000000000"


def _fine(_: int, body: JsonObject) -> Reply:
    """Answer every prompt, except "stuck"."""
    last = messages_of(body)[-1]["content"]
    return hang_reply() if last == "stuck" else text_reply("fine")


async def _refused(client: LspClient, command: str, **argument: Any) -> str:  # noqa: ANN401
    with pytest.raises(RpcError) as refused:
        await client.command(command, **argument)
    return str(refused.value.data["code"])


async def _titles(client: LspClient) -> list[str]:
    return [row["title"] for row in (await client.command("sessions"))["sessions"]]


async def _ids(client: LspClient, *prompts: str) -> list[str]:
    """Start one session for each prompt; return their ids."""
    ids = []
    for prompt in prompts:
        answer = await client.command("prompt", text=prompt, newSession=True)
        await wait_state(client, "idle")
        ids.append(answer["sessionId"])
    return ids


def _prompt_ids(scene: Scene) -> list[str]:
    return [fact["id"] for fact in scene.named("user")]


async def test_a_title_survives_and_can_be_taken_back(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            first, second = await _ids(client, "one", "two")
            for session_id, title in ((first, " My\nfirst "), (second, "second")):
                renamed = await client.command("renameSession", sessionId=session_id, title=title)
            assert renamed == {"sessionId": second, "title": "second"}
            client.kill()
        logs = [path.read_bytes() for path in scene.session_files()]
        async with scene.server() as client:
            assert await _titles(client) == ["second", "My first"]
            back = await client.command("renameSession", sessionId=first, title=" ")
            assert back["title"] == "one"
            assert await _refused(client, "renameSession", sessionId=UNKNOWN, title="x") == (
                "not_found"
            )
            async with scene.server() as other:
                await wait_state(other, "unavailable")
                assert await _refused(other, "renameSession", sessionId=second, title="x") == (
                    "session_in_use"
                )
            assert await _titles(client) == ["second", "one"]
        assert [path.read_bytes() for path in scene.session_files()] == logs


async def test_search_in_titles_and_transcripts(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("the answer is .* (42")) as scene:
        async with scene.server() as client:
            first, second = await _ids(client, "one", "two")
            await client.command("renameSession", sessionId=first, title="Ordner")

            async def found(query: str) -> list[str]:
                answer = await client.command("searchSessions", query=query)
                return [hit["sessionId"] for hit in answer["sessions"]]

            assert await found("ORDNER") == [first]
            assert await found(".* (") == [second, first]
            assert await found("nowhere.*") == []
            [hit] = (await client.command("searchSessions", query="two"))["sessions"]
            assert (hit["title"], hit["snippet"]) == ("two", "two")
            for query in ("", "  ", "x" * 1001):
                assert await _refused(client, "searchSessions", query=query) == "invalid_params"


@pytest.mark.parametrize("choose", ["Delete", "Keep", None])
async def test_deleting_asks(tmp_path: Path, choose: str | None) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server(choose=choose) as client:
            if choose is None:
                client.on_request("window/showMessageRequest", lambda _: None)
            [session_id] = await _ids(client, "one")
            path = scene.session_file()
            result = await client.command("deleteSession", sessionId=session_id)
            [asked] = client.requests["window/showMessageRequest"]
            assert path.stem in asked["message"]
            if choose == "Delete":
                assert result["outcome"] == "deleted"
                assert (Path(result["path"]) / path.name).is_file()
                assert (await client.command("status"))["state"] == "none"
                assert scene.session_files() == []
                assert list(path.parent.iterdir()) == []
                await scene.talk(client, "anew")
            else:
                assert result == {"outcome": "kept"}
                assert await _titles(client) == ["one"]


async def test_what_is_not_deleted(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            [idle] = await _ids(client, "one")
            accepted = await client.command("prompt", text="stuck", newSession=True)
            working = accepted["sessionId"]
            await asyncio.to_thread(scene.model.wait_for_requests, 2)
            delete: JsonObject = {"sessionId": working, "confirmed": True}
            assert await _refused(client, "deleteSession", **delete) == "busy"
            async with scene.server() as other:
                await wait_state(other, "unavailable")
                assert await _refused(other, "deleteSession", **delete) == "session_in_use"
            client.kill()
        async with scene.server(settings={"resume": "never"}) as client:
            await wait_state(client, "suspended")
            assert await _refused(client, "deleteSession", **delete) == "busy"
            assert await _refused(client, "deleteSession", sessionId=UNKNOWN) == "not_found"
            gone = await client.command("deleteSession", sessionId=idle, confirmed=True)
            assert gone["outcome"] == "deleted"
            assert (await client.command("abort"))["outcome"] == "aborted"
            assert (await client.command("deleteSession", **delete))["outcome"] == "deleted"
            assert scene.session_files() == []


async def test_an_unfinished_session_that_is_not_open_is_not_deleted(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            first, second = await _ids(client, "one", "two")
            assert await client.shutdown() == 0
        path = scene.session_files()[0]
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join([*lines[:2], b""]))
        path.with_suffix(".seal").unlink(missing_ok=True)
        async with scene.server(settings={"resume": "never"}) as client:
            status = await wait_state(client, "suspended")
            assert status["sessionId"] == first
            await client.command("abort")
            assert (await client.command("openSession", sessionId=second))["state"] == "idle"
            path.write_bytes(b"\n".join([*lines[:2], b""]))
            path.with_suffix(".seal").unlink(missing_ok=True)
            argument: JsonObject = {"sessionId": first, "confirmed": True}
            assert await _refused(client, "deleteSession", **argument) == "busy"
            assert path.is_file()


async def test_a_damaged_session_can_be_deleted(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            [session_id] = await _ids(client, "one")
            assert await client.shutdown() == 0
        path = scene.session_file()
        path.write_bytes(path.read_bytes().replace(b'"fine"', b'"fine'))
        async with scene.server() as client:
            await wait_state(client, "unavailable")
            gone = await client.command("deleteSession", sessionId=session_id, confirmed=True)
            assert gone["outcome"] == "deleted"
            await scene.talk(client, "anew")


async def test_export_is_the_transcript(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            assert await _refused(client, "exportSession") == "not_found"
            first, _ = await _ids(client, "say *one*", "two")
            named = (await client.command("exportSession", sessionId=first))["markdown"]
            assert named.startswith("# ")
            assert "one" in named
            assert "fine" in named
            assert "two" in (await client.command("exportSession"))["markdown"]
            assert await _refused(client, "exportSession", sessionId=UNKNOWN) == "not_found"


async def test_fork_then_prompt(tmp_path: Path) -> None:
    ls = calls_reply(("bash", {"command": "echo hello"}))

    def reply(_: int, body: JsonObject) -> Reply:
        return ls if messages_of(body)[-1]["content"] == "use a tool" else text_reply("fine")

    with scene_at(tmp_path, reply) as scene:
        async with scene.server() as client:
            await scene.talk(client, "use a tool", "two", "three")
            _, _, third = _prompt_ids(scene)
            origin = scene.session_file()
            before = origin.read_bytes()
            asked = (await client.command("status"))["sessionId"]
            status = await client.command("forkSession", sessionId=asked, entryId=third)
            assert status["state"] == "idle"
            assert status["sessionId"] != asked
            await scene.talk(client, "another three")
            assert await client.shutdown() == 0
        assert origin.read_bytes() == before
        [fork] = [path for path in scene.session_files() if path != origin]
        assert isinstance(reduce_session(fork.read_bytes()), Reduced)
        sent = messages_of(scene.model.requests[-1].body)
        assert [m["content"] for m in sent if m["role"] == "user"] == [
            "use a tool",
            "two",
            "another three",
        ]
        async with scene.server() as client:
            assert (await client.command("status"))["sessionId"] == status["sessionId"]
            assert await _titles(client) == ["use a tool", "use a tool"]


async def test_fork_of_a_compacted_session(tmp_path: Path) -> None:
    replies = summarising(text_reply("the summary"), text_reply("fine"))
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, *(f"prompt {number}" for number in range(8)))
            assert (await client.command("compact"))["outcome"] == "started"
            await scene.until_fact(client, "compaction")
            await wait_state(client, "idle")
            await scene.talk(client, "after", "last")
            prompts = _prompt_ids(scene)
            session_id = (await client.command("status"))["sessionId"]
            sent = []
            for entry_id in (prompts[-1], prompts[2]):
                await client.command("forkSession", sessionId=session_id, entryId=entry_id)
                await scene.talk(client, "another way")
                sent.append([m["content"] for m in messages_of(scene.model.requests[-1].body)])
        assert "the summary" in sent[0][0]
        assert sent[0][-3:] == ["after", "fine", "another way"]
        assert sent[1] == ["prompt 0", "fine", "prompt 1", "fine", "another way"]
        for path in scene.session_files():
            assert isinstance(reduce_session(path.read_bytes()), Reduced)


async def test_what_cannot_be_forked(tmp_path: Path) -> None:
    with scene_at(tmp_path, _fine) as scene:
        async with scene.server() as client:
            [session_id] = await _ids(client, "one")
            [entry_id] = _prompt_ids(scene)
            answer = scene.named("assistant")[0]["id"]
            for wrong in (answer, UNKNOWN, "no id"):
                argument: JsonObject = {"sessionId": session_id, "entryId": wrong}
                assert await _refused(client, "forkSession", **argument) == "not_found"
            await client.command("prompt", text="stuck")
            argument = {"sessionId": session_id, "entryId": entry_id}
            assert await _refused(client, "forkSession", **argument) == "busy"
            assert len(scene.session_files()) == 1
