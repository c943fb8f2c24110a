"""Folders and settings of one server: several, none, strange ones, bad ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.lsp_client import start_server, workspace
from tests.support.model_replies import hang_reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


def _events(client: LspClient, folder: Path) -> list[Any]:
    told = client.notifications["perdure/status"]
    return [status for status in told if status["workspaceFolder"] == folder.as_uri()]


async def test_two_folders_have_nothing_in_common(tmp_path: Path) -> None:
    with scene_at(tmp_path, lambda *_: text_reply("fine")) as scene:
        other = workspace(tmp_path, "other")
        async with start_server(tmp_path) as client:
            await client.initialize([scene.folder, other], settings=scene.settings())
            with pytest.raises(RpcError) as unclear:
                await client.command("prompt", text="go")
            assert unclear.value.data["code"] == "invalid_params"
            for folder in (scene.folder, other):
                uri = folder.as_uri()
                accepted = await client.command("prompt", text="go", workspaceFolder=uri)
                status = await client.command("wait", workspaceFolder=uri)
                assert status["sessionId"] == accepted["sessionId"]
                assert status["environmentIdentity"] == str(folder)
                rows = (await client.command("sessions", workspaceFolder=uri))["sessions"]
                assert [row["sessionId"] for row in rows] == [accepted["sessionId"]]
            assert _events(client, other)[-1]["state"] == "idle"
            removed: JsonObject = {"uri": scene.folder.as_uri(), "name": "work"}
            client.notify(
                "workspace/didChangeWorkspaceFolders",
                {"event": {"added": [], "removed": [removed]}},
            )
            assert (await client.command("status"))["workspaceFolder"] == other.as_uri()
            async with scene.server() as second:
                await wait_state(second, "idle")


@pytest.mark.hazard("Open by symlink, then by real path: one identity")
@pytest.mark.requirement(44)
async def test_a_link_is_the_folder_it_leads_to(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("fine")]) as scene:
        real, link = scene.folder, tmp_path / "link"
        link.symlink_to(real)
        scene.folder = link
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        scene.folder = real
        async with scene.server() as client:
            status = await wait_state(client, "idle")
            assert status["environmentIdentity"] == str(real)
        assert scene.names()[-1] == "operationFinished:completed"


async def test_a_state_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("x\n")
    async with start_server(tmp_path) as client:
        await client.initialize([workspace(tmp_path)])
        for name in ("status", "sessions", "newSession"):
            with pytest.raises(RpcError) as refused:
                await client.command(name)
            assert refused.value.data == {"code": "storage_failed"}
            assert "Not a directory. The setting sessionsDir" in refused.value.message


async def test_a_folder_that_was_deleted_before_the_first_prompt(tmp_path: Path) -> None:
    folder = workspace(tmp_path)
    async with start_server(tmp_path) as client:
        await client.initialize([folder])
        await client.command("status")
        folder.rmdir()
        with pytest.raises(RpcError) as refused:
            await client.command("prompt", text="go")
        assert refused.value.data["code"] == "storage_failed"
        assert f"{folder} is not there any more" in refused.value.message


@pytest.mark.hazard("untitled:, git:, notebook URIs, no workspace folder: no crash")
async def test_folders_that_are_none(tmp_path: Path) -> None:
    async with start_server(tmp_path) as client:
        folders: list[JsonObject] = [
            {"uri": uri, "name": "x"} for uri in ("untitled:Untitled-1", "git:/work", "")
        ]
        await client.initialize(workspaceFolders=[*folders])
        with pytest.raises(RpcError) as none:
            await client.command("status")
        assert none.value.data["code"] == "invalid_params"
        assert await client.shutdown() == 0


@pytest.mark.hazard("Corrupt log, bad settings: the server stays up and says so")
async def test_bad_settings_are_said_once_and_defaults_are_used(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("fine")]) as scene:
        bad: JsonObject = {
            "resume": "sometimes",
            "colour": "red",
            "compaction": {"threshold": 7},
            "durability": None,
        }
        async with scene.server(settings=bad) as client:
            await scene.talk(client, "go")
            client.notify(
                "workspace/didChangeConfiguration", {"settings": {**scene.settings(), **bad}}
            )
            assert (await client.command("status"))["state"] == "idle"
            initial, later = (m["message"] for m in client.notifications["window/showMessage"])
        for path in ("resume", "colour", "compaction.threshold"):
            assert f"initializationOptions: {path}" in initial
            assert f"editor settings: {path}" in later
        assert "durability" not in initial


async def test_a_model_that_is_not_configured_until_it_is(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("fine")]) as scene:
        remote: JsonObject = {"model": {"baseUrl": "https://models.example/v1"}}
        async with scene.server(settings=remote) as client:
            with pytest.raises(RpcError) as refused:
                await client.command("prompt", text="go")
            assert refused.value.data["code"] == "provider_not_configured"
            assert "model.apiKeyEnv" in refused.value.message
            assert scene.session_files() == []
            client.notify("workspace/didChangeConfiguration", {"settings": scene.settings()})
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        before = scene.digest()
        async with scene.server(settings=remote) as client:
            status = await wait_state(client, "unavailable")
            assert status["blocked"]["code"] == "provider_not_configured"
            assert scene.digest() == before
            client.notify("workspace/didChangeConfiguration", {"settings": scene.settings()})
            assert (await client.command("resume"))["outcome"] == "resumed"
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:completed"


async def test_an_operation_can_be_aborted_without_a_model(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server(settings={"model": {"apiKeyEnv": "NO_SUCH_KEY"}}) as client:
            await wait_state(client, "unavailable")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await wait_state(client, "idle")
        assert scene.names()[-1] == "operationFinished:aborted"
