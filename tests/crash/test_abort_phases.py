"""Abort in every phase of an operation: fast, durable, and in the order that the format demands."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.support.model_replies import Reply, calls_reply, hang_reply, text_reply
from tests.support.scene import (
    Scene,
    eventually,
    is_alive,
    messages_of,
    scene_at,
    summarising,
    wait_state,
)

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.json_types import JsonObject

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("Abort while connecting, streaming, in `sleep 300`, waiting for approval"),
]

PROMISE_SECONDS = 2.0
ASK: JsonObject = {"approval": {"bash": "ask"}}


async def _abort_then_kill(scene: Scene, client: LspClient) -> None:
    """Abort, hold the server to its promise, and kill it right after its answer."""
    began = time.monotonic()
    answer = await client.command("abort")
    assert time.monotonic() - began <= PROMISE_SECONDS
    client.kill()
    assert answer["outcome"] == "aborted"
    assert answer["operationId"] == scene.records("abortRequested")[-1]["operationId"]


async def _stays_aborted(scene: Scene) -> None:
    """Reopen: nothing is sent, nothing is written, and the session is usable."""
    before, requests = scene.digest(), scene.model.count
    async with scene.server() as client:
        assert (await client.command("resume"))["outcome"] == "idle"
        assert (scene.digest(), scene.model.count) == (before, requests)


@pytest.mark.requirement(98, 99, 102, 105, 111, 134)
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(hang_reply(), id="connecting"),
        pytest.param(hang_reply(text_reply("some words"), after=1), id="streaming"),
    ],
)
async def test_in_a_model_request(tmp_path: Path, reply: Reply) -> None:
    with scene_at(tmp_path, [reply]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            scene.model.wait_for_requests(1)
            if reply.parts:
                await client.until("perdure/delta", bool)
            await _abort_then_kill(scene, client)
        scene.model.wait_for_departures(1)
        assert scene.names()[-3:] == ["abortRequested", "stepFailed", "operationFinished:aborted"]
        assert scene.records("abortRequested")[0]["phase"] == "model"
        assert scene.records("stepFailed")[0]["error"]["code"] == "aborted"
        await _stays_aborted(scene)


@pytest.mark.hazard("A client that stops reading stdout blocks the loop, so abort never runs")
async def test_with_a_client_that_does_not_read(tmp_path: Path) -> None:
    flood = text_reply("words " * 500_000, pieces=3000)
    with scene_at(tmp_path, [hang_reply(flood, after=3000)]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await client.until("perdure/delta", bool)
            client.stop_reading()
            client.begin_command("abort")
            await eventually(
                lambda: scene.names()[-1] == "operationFinished:aborted", seconds=PROMISE_SECONDS
            )
            client.go_on_reading()
            await wait_state(client, "idle")


@pytest.mark.requirement(98, 102, 106, 134)
@pytest.mark.parametrize(
    "command",
    [
        pytest.param("echo $$ > pid; sleep 300", id="sleep"),
        pytest.param("trap '' TERM INT HUP; echo $$ > pid; sleep 300", id="deaf"),
        pytest.param("echo $$ > pid; exec yes", id="flood"),
        pytest.param(
            "(setsid bash -c 'echo $$ > pid; exec sleep 301' &>/dev/null &); sleep 300", id="daemon"
        ),
    ],
)
async def test_in_a_tool(tmp_path: Path, command: str) -> None:
    answer = calls_reply(("bash", {"command": command}), ("bash", {"command": "touch late"}))
    with scene_at(tmp_path, [answer]) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "pid")
            await _abort_then_kill(scene, client)
        assert not is_alive(int(scene.text("pid")))
        assert not (scene.folder / "late").exists()
        assert scene.names()[-4:] == [
            "abortRequested",
            "tool:interrupted",
            "tool:aborted",
            "operationFinished:aborted",
        ]
        (requested,) = scene.records("abortRequested")
        assert (requested["phase"], requested["toolCallId"]) == ("tool", "call_1")


@pytest.mark.requirement(106)
@pytest.mark.hazard("Approve after abort: no longer pending")
async def test_while_an_approval_is_open(tmp_path: Path) -> None:
    with scene_at(tmp_path, [calls_reply(("bash", {"command": "touch done"}))]) as scene:
        async with scene.server(settings=ASK) as client:
            await client.command("prompt", text="go")
            waiting = await wait_state(client, "waitingForApproval")
            assert (await client.command("abort"))["outcome"] == "aborted"
            with pytest.raises(RpcError) as late:
                await client.command(
                    "approve", approvalId=waiting["approval"]["approvalId"], decision="allow"
                )
            assert late.value.data["code"] == "not_pending"
            idle = await wait_state(client, "idle")
            assert idle["approval"] is None
        assert scene.names()[-3:] == ["abortRequested", "tool:aborted", "operationFinished:aborted"]
        assert not (scene.folder / "done").exists()
        await _stays_aborted(scene)


@pytest.mark.requirement(102, 107)
@pytest.mark.hazard("Abort or K9 during compaction: earlier bytes unchanged")
async def test_in_a_compaction(tmp_path: Path) -> None:
    with scene_at(tmp_path, summarising(hang_reply(), text_reply("fine"))) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one", "two", "three", "four")
            before = scene.session_file().read_bytes()
            assert (await client.command("compact"))["outcome"] == "started"
            scene.model.wait_for_requests(5)
            await _abort_then_kill(scene, client)
        assert scene.session_file().read_bytes().startswith(before)
        assert scene.names()[-5:] == [
            "compactionStarted",
            "stepAttempt",
            "abortRequested",
            "stepFailed",
            "operationFinished:aborted",
        ]
        assert scene.records("abortRequested")[0]["phase"] == "compact"
        await _stays_aborted(scene)
        async with scene.server() as client:
            await scene.talk(client, "five")
        sent = [message["content"] for message in messages_of(scene.model.requests[-1].body)]
        assert sent == ["one", "fine", "two", "fine", "three", "fine", "four", "fine", "five"]
