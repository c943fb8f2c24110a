"""Several sessions of one folder: listing, opening, starting."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import messages_of, scene_at, wait_state

from perdure.cli.lsp_client import RpcError

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

UNKNOWN = "01900000-0000-7000-8000-000000000000"


async def test_listing_opening_and_going_on(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            assert (await client.command("sessions")) == {"sessions": []}
            await scene.talk(client, "first session\nsecond line")
            created = await client.command("newSession")
            assert created["state"] == "idle"
            await client.command("prompt", text="third session", newSession=True)
            await wait_state(client, "idle")
            third, second, first = (await client.command("sessions"))["sessions"]
            assert second["sessionId"] == created["sessionId"]
            titles = [row["title"] for row in (first, second, third)]
            assert titles == ["first session", "", "third session"]
            assert [row["state"] for row in (first, second, third)] == ["idle"] * 3
            assert first["usage"]["input"] == 10
            assert first["createdAt"] <= first["updatedAt"]
            assert [Path(row["path"]) for row in (first, second, third)] == scene.session_files()
            opened = await client.command("openSession", sessionId=first["sessionId"])
            assert (opened["sessionId"], opened["state"]) == (first["sessionId"], "idle")
            await scene.talk(client, "more")
            await client.command("prompt", text="again", sessionId=third["sessionId"])
            await wait_state(client, "idle")
        sent = [[m["content"] for m in messages_of(r.body)] for r in scene.model.requests[-2:]]
        assert sent == [
            ["first session\nsecond line", "fine", "more"],
            ["third session", "fine", "again"],
        ]


async def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
            before = scene.digest()
            for command in ("openSession", "compact", "resume", "prompt", "abort"):
                with pytest.raises(RpcError) as missing:
                    await client.command(command, sessionId=UNKNOWN, text="go")
                assert missing.value.data["code"] == "not_found"
            assert scene.digest() == before
            await scene.talk(client, "still here")


async def test_an_unfinished_session_is_opened_first(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("other"), text_reply("done")]) as scene:
        async with scene.server() as client:
            unfinished = await client.command("prompt", text="old")
            scene.model.wait_for_requests(1)
            client.kill()
        path = scene.session_file()
        hidden = path.rename(path.with_suffix(".hidden"))
        async with scene.server() as client:
            await scene.talk(client, "newer")
        hidden.rename(path)
        async with scene.server(settings={"resume": "never"}) as client:
            status = await wait_state(client, "suspended")
            assert status["sessionId"] == unfinished["sessionId"]
            rows = (await client.command("sessions"))["sessions"]
            assert {row["state"] for row in rows} == {"idle", "unfinished"}
            same = await client.command("openSession", sessionId=unfinished["sessionId"])
            assert same["state"] == "suspended"


@pytest.mark.hazard("Header version newer or older: refused with the version named")
async def test_a_newer_format_is_named_and_left_alone(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "go")
        path = scene.session_file()
        newer = path.read_bytes().replace(b'"version":2', b'"version":3', 1)
        path.write_bytes(newer)
        async with scene.server() as client:
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "unsupported_version"
            assert "version 3" in status["blocked"]["title"]
            with pytest.raises(RpcError) as refused:
                await client.command("prompt", text="go")
            assert refused.value.data["code"] == "unsupported_version"
            await client.command("newSession")
            await scene.talk(client, "go")
        assert path.read_bytes() == newer
