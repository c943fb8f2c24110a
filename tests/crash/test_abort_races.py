"""The race of abort and settlement: the order in the file decides it, whatever came when."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest
from tests.support.model_replies import (
    Reply,
    by_turn,
    calls_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.scene import PROGRESS, Scene, messages_of, scene_at, wait_state

from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

NEVER: JsonObject = {"resume": "never"}


@pytest.mark.requirement(103, 109)
@pytest.mark.hazard("Abort after everything finished: harmless")
async def test_abort_without_an_operation_writes_nothing(tmp_path: Path) -> None:
    with scene_at(tmp_path, by_turn(text_reply("hello"))) as scene:
        async with scene.server() as client:
            assert await client.command("abort") == {"outcome": "idle"}
            assert scene.session_files() == []
            run = await client.command("prompt", text="go")
            await wait_state(client, "idle")
            before = scene.digest()
            assert await client.command("abort") == {"outcome": "idle"}
            late = await client.command("abort", operationId=run["operationId"])
            assert late["outcome"] == "completed"
            assert scene.digest() == before


@pytest.mark.requirement(103, 109)
async def test_abort_twice_at_once_is_one_abort(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            aborts = [client.begin_command("abort")[1] for _ in range(3)]
            answers = await asyncio.gather(*aborts)
            assert {answer["outcome"] for answer in answers} <= {"aborted", "idle"}
            assert answers[0]["outcome"] == "aborted"
            assert (await client.command("abort"))["outcome"] == "idle"
        assert scene.names().count("abortRequested") == 1
        assert scene.names()[-1] == "operationFinished:aborted"


@pytest.mark.requirement(103, 110)
@pytest.mark.hazard("Abort, then prompt at once: late chunks of the old attempt are dropped")
async def test_prompt_right_after_abort(tmp_path: Path) -> None:
    old = slow_reply(text_reply("old " * 200, pieces=200), seconds=0.005)
    with scene_at(tmp_path, [old, text_reply("new")]) as scene:
        async with scene.server() as client:
            first = await client.command("prompt", text="first")
            await client.until("perdure/delta", bool)
            abort = client.begin_command("abort")[1]
            assert (await abort)["outcome"] == "aborted"
            shown = len(client.notifications["perdure/delta"])
            second = await client.command("prompt", text="second")
            await wait_state(client, "idle")
            later = client.notifications["perdure/delta"][shown:]
            assert {delta["operationId"] for delta in later} <= {second["operationId"]}
            assert first["operationId"] != second["operationId"]
        assert [fact["entry"]["message"]["content"] for fact in scene.named("assistant")] == ["new"]


@pytest.mark.requirement(100, 108, 109, 110, 111)
async def test_aborts_at_random_moments_leave_one_of_two_histories(tmp_path: Path) -> None:
    random = Random(20260108)
    with scene_at(tmp_path, _a_call_then_text) as scene:
        async with scene.server() as client:
            for _ in range(25):
                run = await client.command("prompt", text="go")
                await asyncio.sleep(random.uniform(0, 0.15))
                answer = await client.command("abort", operationId=run["operationId"])
                assert _last_run(scene)[-1] == f"operationFinished:{answer['outcome']}"
                await wait_state(client, "idle")


def _a_call_then_text(_number: int, body: JsonObject) -> Reply:
    if messages_of(body)[-1]["role"] == "tool":
        return slow_reply(text_reply("hello"), seconds=0.003)
    return slow_reply(calls_reply(("bash", {"command": "sleep 0.01"})), seconds=0.003)


def _last_run(scene: Scene) -> list[str]:
    """Return the names of the last run's facts, having checked that they are legal."""
    names = scene.names()
    names = names[len(names) - names[::-1].index("runStarted") :]
    if names[-1] == "operationFinished:completed":
        assert "abortRequested" not in names
        return names
    closing = names[names.index("abortRequested") :]
    assert set(closing) <= {
        "abortRequested",
        "stepFailed",
        "usage",
        "tool:interrupted",
        "tool:aborted",
        "operationFinished:aborted",
    }
    return names


@pytest.mark.requirement(50, 101, 110, 111)
async def test_killed_between_abort_and_reconciliation(tmp_path: Path) -> None:
    replies = [calls_reply(("bash", {"command": "echo x > started; sleep 300"}))]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "started")
            client.begin_command("abort")
            await scene.until_fact(client, "abortRequested")
            client.kill()
        async with scene.server(settings={"model": {"name": "other"}}) as client:
            await wait_state(client, "idle")
        assert scene.model.count == 1
        assert scene.names().count("abortRequested") == 1
        assert scene.names()[-2:] == ["tool:interrupted", "operationFinished:aborted"]


@pytest.mark.requirement(103)
async def test_cancelling_the_progress_is_abort(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply()]) as scene:
        async with scene.server(capabilities=PROGRESS) as client:
            await client.command("prompt", text="go")
            begun = await client.until("$/progress", lambda p: p["value"]["kind"] == "begin")
            assert begun["value"]["cancellable"] is True
            client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
            await wait_state(client, "idle")
            await client.until("$/progress", lambda p: p["value"]["kind"] == "end")
        assert scene.names()[-1] == "operationFinished:aborted"


@pytest.mark.requirement(49)
async def test_abort_of_a_suspended_operation(tmp_path: Path) -> None:
    with scene_at(tmp_path, [hang_reply(), text_reply("again")]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            client.kill()
        async with scene.server(settings=NEVER) as client:
            await wait_state(client, "suspended")
            assert (await client.command("abort"))["outcome"] == "aborted"
            await scene.talk(client, "usable")
        assert scene.model.count == 2
