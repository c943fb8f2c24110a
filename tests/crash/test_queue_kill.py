"""Prompts that wait, and a server that is killed."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.model_replies import Reply, ReplyFunction, hang_reply, text_reply
from tests.support.scene import Scene, messages_of, scene_at, wait_state
from tests.support.strace import ALL_THREADS, needs_strace, traced
from tests.support.wire import uid

from perdure.cli.lsp_client import ConnectionLost, LspClient
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("Text typed while the agent works is never lost"),
]


def _first_hangs(number: int, body: JsonObject) -> Reply:
    return hang_reply() if number == 1 else text_reply("fine")


def _hanging(prompt: str) -> ReplyFunction:
    """Never answer this prompt."""

    def reply(_: int, body: JsonObject) -> Reply:
        return hang_reply() if messages_of(body)[-1]["content"] == prompt else text_reply("fine")

    return reply


def _queue_file(scene: Scene) -> Path:
    return scene.session_file().with_suffix(".queue.json")


def _write_queue(scene: Scene, *texts: str) -> list[str]:
    """Let prompts wait in a session that no server has open; return their ids."""
    items = [{"id": uid("free", number), "text": text} for number, text in enumerate(texts, 1)]
    _queue_file(scene).write_text(json.dumps({"version": 1, "items": items}))
    return [item["id"] for item in items]


def _prompts(scene: Scene) -> list[str]:
    return [fact["entry"]["message"]["content"] for fact in scene.named("user")]


async def _waiting(client: LspClient) -> list[str]:
    status = await client.command("status")
    return [item["text"] for item in status["queue"]]


async def _until_done(client: LspClient) -> Any:  # noqa: ANN401
    told = client.notifications["perdure/status"]
    await client.until(
        "perdure/status", lambda _: told[-1]["state"] == "idle" and not told[-1]["queue"]
    )


async def _queued_behind_a_run(scene: Scene, client: LspClient, *texts: str) -> list[str]:
    await client.command("prompt", text="first")
    await asyncio.to_thread(scene.model.wait_for_requests, 1)
    answers = [await client.command("prompt", text=text, queue=True) for text in texts]
    return [answer["queuedId"] for answer in answers]


async def test_the_queue_outlives_the_server_and_is_worked_off(tmp_path: Path) -> None:
    with scene_at(tmp_path, _first_hangs) as scene:
        async with scene.server() as client:
            ids = await _queued_behind_a_run(scene, client, "second", "third")
            client.kill()
        async with scene.server() as client:
            await _until_done(client)
        assert _prompts(scene) == ["first", "second", "third"]
        assert [fact["id"] for fact in scene.named("user")[1:]] == ids
        assert not _queue_file(scene).exists()


@pytest.mark.parametrize("resume", ["never", "ask"])
async def test_after_reopening_it_waits_for_the_users_word(tmp_path: Path, resume: str) -> None:
    with scene_at(tmp_path, _first_hangs) as scene:
        async with scene.server() as client:
            await _queued_behind_a_run(scene, client, "second")
            client.kill()
        async with scene.server(settings={"resume": resume}) as client:
            await wait_state(client, "suspended")
            assert await _waiting(client) == ["second"]
            assert (await client.command("resume"))["outcome"] == "resumed"
            await _until_done(client)
        assert _prompts(scene) == ["first", "second"]


@pytest.mark.parametrize(("resume", "starts"), [("auto", True), ("ask", False), ("never", False)])
async def test_killed_between_two_prompts(tmp_path: Path, resume: str, starts: bool) -> None:
    with scene_at(tmp_path, _hanging("none")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "first")
            client.kill()
        [queued] = _write_queue(scene, "second")
        async with scene.server(settings={"resume": resume}) as client:
            if not starts:
                await wait_state(client, "idle")
                await asyncio.sleep(0.3)
                assert await _waiting(client) == ["second"]
                assert (await client.command("resume"))["outcome"] == "resumed"
            await scene.until_fact(client, "operationFinished:completed")
            await _until_done(client)
        assert [fact["id"] for fact in scene.named("user")][1:] == [queued]


async def test_an_abort_holds_it_over_a_crash(tmp_path: Path) -> None:
    with scene_at(tmp_path, _first_hangs) as scene:
        async with scene.server() as client:
            await _queued_behind_a_run(scene, client, "second")
            await client.command("abort")
            client.kill()
        async with scene.server() as client:
            await wait_state(client, "idle")
            await asyncio.sleep(0.3)
            assert await _waiting(client) == ["second"]
            await client.command("prompt", text="urgent")
            await _until_done(client)
        assert _prompts(scene) == ["first", "urgent", "second"]


@needs_strace
async def test_killed_between_acceptance_and_removal(tmp_path: Path) -> None:
    with scene_at(tmp_path, _hanging("none")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "first")
            client.kill()
        [queued] = _write_queue(scene, "second")
        async with scene.server(settings={"resume": "never"}) as client:
            await wait_state(client, "idle")
            calls = "unlink,unlinkat"
            inject = ("-e", f"trace={calls}", "-e", f"inject={calls}:signal=SIGKILL")
            path = ("-P", str(_queue_file(scene)), "-o", "/dev/null")
            async with traced(client.process.pid, *ALL_THREADS, *path, *inject):
                with pytest.raises(ConnectionLost):
                    await client.command("resume")
                await client.wait(timeout=20)
        assert [fact["id"] for fact in scene.named("user")][1:] == [queued]
        assert _queue_file(scene).exists()
        async with scene.server() as client:
            assert await _waiting(client) == []
            await wait_state(client, "idle")
            assert not _queue_file(scene).exists()
        assert _prompts(scene) == ["first", "second"]
        assert scene.names().count("operationFinished:completed") == 2


async def test_what_ran_long_ago_is_only_removed(tmp_path: Path) -> None:
    with scene_at(tmp_path, _first_hangs) as scene:
        async with scene.server() as client:
            await _queued_behind_a_run(scene, client, "second")
            kept = shutil.copy(_queue_file(scene), tmp_path / "kept.json")
            client.kill()
        async with scene.server() as client:
            await _until_done(client)
            await scene.talk(client, "third")
            client.kill()
        shutil.copy(kept, _queue_file(scene))
        async with scene.server() as client:
            await wait_state(client, "idle")
            assert await _waiting(client) == []
            assert not _queue_file(scene).exists()
        assert _prompts(scene) == ["first", "second", "third"]


async def test_a_prompt_is_on_disk_when_its_sender_hears_of_it(tmp_path: Path) -> None:
    with scene_at(tmp_path, _hanging("first")) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="first")
            for number in range(5):
                await client.command("prompt", text=f"queued {number}", queue=True)
                items = json.loads(_queue_file(scene).read_bytes())["items"]
                assert [item["text"] for item in items] == [
                    f"queued {n}" for n in range(number + 1)
                ]
            client.kill()
        async with scene.server(settings={"resume": "never"}) as client:
            await wait_state(client, "suspended")
            assert await _waiting(client) == [f"queued {number}" for number in range(5)]


async def test_a_damaged_queue_is_kept_and_told(tmp_path: Path) -> None:
    damage = b'{"version":1,"items":[{"id"'
    with scene_at(tmp_path, _hanging("none")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "first")
            client.kill()
        _queue_file(scene).write_bytes(damage)
        async with scene.server() as client:
            told = await client.until(
                "window/showMessage", lambda params: "waited in this session" in params["message"]
            )
            [evidence] = scene.session_file().parent.glob("*.queue.damaged-*")
            assert str(evidence) in told["message"]
            assert evidence.read_bytes() == damage
            assert await _waiting(client) == []
            await scene.talk(client, "second")
        assert _prompts(scene) == ["first", "second"]
        assert evidence.exists()
