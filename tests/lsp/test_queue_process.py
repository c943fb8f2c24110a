"""Prompts that wait for the end of a run, seen from an editor."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Cli
from tests.support.model_replies import (
    Reply,
    ReplyFunction,
    error_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.scene import Scene, messages_of, scene_at, wait_state

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]


def _replies(*stuck: str, slow: str = "", failing: str = "") -> ReplyFunction:
    """Answer each prompt; never those that are ``stuck``."""

    def reply(_: int, body: JsonObject) -> Reply:
        prompt = [m["content"] for m in messages_of(body) if m["role"] == "user"][-1]
        if prompt == failing:
            return error_reply(400, "no")
        if prompt == slow:
            return slow_reply(text_reply("at last"), seconds=0.2)
        return hang_reply() if prompt in stuck else text_reply(f"about {prompt}")

    return reply


def _prompts(scene: Scene) -> list[str]:
    return [fact["entry"]["message"]["content"] for fact in scene.named("user")]


async def _queue(client: LspClient, *texts: str) -> list[str]:
    """Queue prompts behind the present run; return their ids."""
    answers = [await client.command("prompt", text=text, queue=True) for text in texts]
    return [answer["queuedId"] for answer in answers]


async def _texts(client: LspClient) -> list[str]:
    return [item["text"] for item in (await client.command("queue"))["items"]]


async def _until_idle_and_empty(client: LspClient) -> None:
    told = client.notifications["perdure/status"]
    await client.until(
        "perdure/status", lambda _: told[-1]["state"] == "idle" and not told[-1]["queue"]
    )


async def _stuck(scene: Scene, client: LspClient) -> Any:  # noqa: ANN401
    accepted = await client.command("prompt", text="first", queue=True)
    await asyncio.to_thread(scene.model.wait_for_requests, 1)
    return accepted


@pytest.mark.hazard("Text typed while the agent works is never lost")
async def test_two_prompts_run_in_their_order_when_the_run_has_ended(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies(slow="first")) as scene:
        async with scene.server() as client:
            first = client.begin_command("prompt", text="first")[1]
            second = client.begin_command("prompt", text="second", queue=True)[1]
            third = client.begin_command("prompt", text="third", queue=True)[1]
            assert "operationId" in await first
            queued = [await second, await third]
            await _until_idle_and_empty(client)
    assert _prompts(scene) == ["first", "second", "third"]
    assert [answer["position"] for answer in queued] == [1, 2]
    assert [fact["id"] for fact in scene.named("user")][1:] == [a["queuedId"] for a in queued]
    assert scene.names().count("operationFinished:completed") == 3
    assert not list(scene.session_file().parent.glob("*.queue*"))


async def test_what_waits_is_shown_edited_and_removed(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            accepted = await _stuck(scene, client)
            assert set(accepted) == {"sessionId", "operationId"}
            second, third = await _queue(client, "second", "third")
            status = await client.command("status")
            assert status["queue"] == [
                {"queuedId": second, "text": "second"},
                {"queuedId": third, "text": "third"},
            ]
            edited = await client.command("queueEdit", queuedId=third, text="3rd \ud800")
            assert [item["text"] for item in edited["items"]] == ["second", "3rd \ufffd"]
            left = await client.command("queueRemove", queuedId=second)
            assert left["items"] == [{"queuedId": third, "text": "3rd \ufffd"}]
            assert (await client.command("status"))["queue"] == left["items"]
            for command in ("queueEdit", "queueRemove"):
                with pytest.raises(RpcError) as refused:
                    await client.command(command, queuedId=second, text="again")
                assert refused.value.data["code"] == "not_found"
            for text in ("", " \n"):
                with pytest.raises(RpcError) as refused:
                    await client.command("queueEdit", queuedId=third, text=text)
                assert refused.value.data["code"] == "invalid_params"
            assert await _texts(client) == ["3rd \ufffd"]


async def test_without_the_word_a_busy_session_still_refuses(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            for arguments in ({}, {"queue": False}, {"queue": True, "newSession": True}):
                with pytest.raises(RpcError) as refused:
                    await client.command("prompt", text="second", **arguments)
                assert refused.value.data["code"] == "busy"
            assert await _texts(client) == []


@pytest.mark.parametrize("go_on", ["resume", "prompt", "queued prompt"])
async def test_an_abort_keeps_what_waits_until_the_user_goes_on(tmp_path: Path, go_on: str) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            await _queue(client, "second")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await asyncio.sleep(0.3)
            assert (await client.command("status"))["state"] == "idle"
            assert await _texts(client) == ["second"]
            match go_on:
                case "resume":
                    result = await client.command("resume")
                    assert result["outcome"] == "resumed"
                    assert result["plan"]["type"] == "startStep"
                    expected = ["first", "second"]
                case "prompt":
                    await client.command("prompt", text="urgent")
                    expected = ["first", "urgent", "second"]
                case _:
                    await client.command("prompt", text="last", queue=True)
                    expected = ["first", "second", "last"]
            await _until_idle_and_empty(client)
    assert _prompts(scene) == expected


async def test_a_failed_run_keeps_what_waits(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first", failing="second")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            await _queue(client, "second", "third")
            await client.command("abort")
            await client.command("resume")
            await scene.until_fact(client, "operationFinished:failed")
            await asyncio.sleep(0.3)
            assert (await client.command("status"))["state"] == "idle"
            assert await _texts(client) == ["third"]


async def test_a_blocked_session_takes_prompts_for_later(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            client.kill()
        async with scene.server(settings={"model": {"name": "another"}}) as client:
            await wait_state(client, "blocked")
            await _queue(client, "second")
            assert await _texts(client) == ["second"]
            await client.command("abort")
            await client.command("resume")
            await _until_idle_and_empty(client)
    assert _prompts(scene) == ["first", "second"]


async def test_another_window_sees_what_waits_and_changes_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client, scene.server() as other:
            await _stuck(scene, client)
            [second] = await _queue(client, "second")
            await wait_state(other, "unavailable")
            assert await _texts(other) == ["second"]
            changes: list[tuple[str, JsonObject]] = [
                ("prompt", {"text": "mine", "queue": True}),
                ("queueEdit", {"queuedId": second, "text": "mine"}),
                ("queueRemove", {"queuedId": second}),
            ]
            for command, argument in changes:
                with pytest.raises(RpcError) as refused:
                    await other.command(command, **argument)
                assert refused.value.data["code"] == "session_in_use"
            assert await _texts(client) == await _texts(other) == ["second"]


async def test_prompts_of_another_environment_stay_where_they_are(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            accepted = await _stuck(scene, client)
            await _queue(client, "second")
            await client.command("abort")
            client.kill()
        async with scene.server(environ={"PERDURE_ENVIRONMENT_IDENTITY": "elsewhere"}) as client:
            assert (await client.command("resume"))["outcome"] == "idle"
            assert await _texts(client) == ["second"]
            third = await client.command("prompt", text="third", queue=True)
            assert third["sessionId"] != accepted["sessionId"]
            await wait_state(client, "idle")
            before = await client.command("queue", sessionId=accepted["sessionId"])
            assert [item["text"] for item in before["items"]] == ["second"]


async def test_perdure_run_starts_nothing_that_waits(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            await _queue(client, "second")
            await client.command("abort")
            assert await client.shutdown() == 0
        variables = {"PERDURE_BASE_URL": scene.model.base_url, "PERDURE_MODEL": "test-model"}
        cli = Cli(home=tmp_path, folder=scene.folder, variables=variables)
        done = await asyncio.to_thread(cli.run, "run", "urgent")
        assert done.returncode == 0, done.stderr
        assert _prompts(scene) == ["first", "urgent"]
        async with scene.server() as client:
            await _until_idle_and_empty(client)
    assert _prompts(scene) == ["first", "urgent", "second"]


async def test_who_takes_the_session_over_has_what_waits(tmp_path: Path) -> None:
    with scene_at(tmp_path, _replies("first")) as scene:
        async with scene.server() as client:
            await _stuck(scene, client)
            [second] = await _queue(client, "second")
            async with scene.server(settings={"resume": "never"}) as other:
                await wait_state(other, "unavailable")
                taken = await other.command("takeOver")
                assert taken["queue"] == [{"queuedId": second, "text": "second"}]
                await other.command("queueEdit", queuedId=second, text="2nd")
                assert await _texts(client) == ["2nd"]
                await wait_state(client, "unavailable")
                assert client.notifications["perdure/status"][-1]["queue"] == []
