"""Abort in each phase of an operation, in each manner: closed durably, and nothing lives on."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.support.model_replies import Reply, calls_reply, hang_reply, text_reply
from tests.support.scene import Scene, messages_of, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

PROMISE_SECONDS = 2.0
Reach: TypeAlias = Callable[[Scene, LspClient], Awaitable[None]]


@dataclass(frozen=True)
class Phase:
    """How the model answers ``go``, and how to get to where the abort comes."""

    name: str
    reply: Reply
    reach: Reach
    settings: JsonObject = field(default_factory=dict)
    killed_before: bool = False


async def _connecting(scene: Scene, client: LspClient) -> None:
    await client.command("prompt", text="go")
    await asyncio.to_thread(scene.model.wait_for_requests, 1)


async def _streaming(scene: Scene, client: LspClient) -> None:
    await client.command("prompt", text="go")
    await client.until("perdure/delta", bool)


async def _in_a_command(scene: Scene, client: LspClient) -> None:
    os.mkfifo(scene.folder / "pipe")
    await client.command("prompt", text="go")
    await scene.until_file(client, "started")


async def _asked(scene: Scene, client: LspClient) -> None:
    await client.command("prompt", text="go")
    await wait_state(client, "waitingForApproval")


async def _compacting(scene: Scene, client: LspClient) -> None:
    await scene.talk(client, "one", "two", "three", "four")
    assert (await client.command("compact"))["outcome"] == "started"
    await asyncio.to_thread(scene.model.wait_for_requests, 5)


async def _blocked(scene: Scene, client: LspClient) -> None:
    assert (await wait_state(client, "blocked"))["blocked"]["code"] == "configuration_changed"


def _bash(command: str) -> Reply:
    return calls_reply(("bash", {"command": command}), ("bash", {"command": "touch late"}))


PHASES = [
    Phase("connecting", hang_reply(), _connecting),
    Phase("streaming", hang_reply(text_reply("some words"), after=1), _streaming),
    Phase("pipe", _bash("echo yes > started; cat pipe"), _in_a_command),
    Phase("sleep", _bash("echo yes > started; sleep 300"), _in_a_command),
    Phase(
        "background",
        _bash("sleep 301 & setsid sleep 302 & echo yes > started; wait"),
        _in_a_command,
    ),
    Phase("approval", _bash("touch late"), _asked, {"approval": {"bash": "ask"}}),
    Phase("compacting", hang_reply(), _compacting),
    Phase("blocked", hang_reply(), _blocked, {"model": {"name": "other"}}, killed_before=True),
]

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.parametrize("phase", PHASES, ids=lambda phase: phase.name),
]


@pytest.mark.requirement(49, 98, 99, 102, 103, 105, 106, 107, 109)
async def test_abort(tmp_path: Path, phase: Phase) -> None:
    with _scene(tmp_path, phase) as scene:
        async with _reached(scene, phase) as client:
            began = time.monotonic()
            assert (await client.command("abort"))["outcome"] == "aborted"
            await _nothing_lives_but(scene, client)
            assert time.monotonic() - began <= PROMISE_SECONDS
        _assert_closed(scene)


@pytest.mark.requirement(103, 109)
async def test_abort_twice(tmp_path: Path, phase: Phase) -> None:
    with _scene(tmp_path, phase) as scene:
        async with _reached(scene, phase) as client:
            began = time.monotonic()
            aborts = [client.begin_command("abort")[1] for _ in range(2)]
            first, second = await asyncio.gather(*aborts)
            assert time.monotonic() - began <= PROMISE_SECONDS
            assert first["outcome"] == "aborted"
            assert second["outcome"] in ("aborted", "idle")
            await _nothing_lives_but(scene, client)
        _assert_closed(scene)


@pytest.mark.requirement(50, 101, 110, 111)
@pytest.mark.hazard("K9 right after abort: still aborted on reopen")
async def test_killed_right_after_abort(tmp_path: Path, phase: Phase) -> None:
    with _scene(tmp_path, phase) as scene:
        async with _reached(scene, phase) as client:
            client.begin_command("abort")
            await scene.until_fact(client, "abortRequested")
            client.kill()
        requests = scene.model.count
        async with scene.server(settings=phase.settings) as client:
            await wait_state(client, "idle")
            await _nothing_lives_but(scene, client)
        assert scene.model.count == requests
        _assert_closed(scene)


@pytest.mark.requirement(103, 110)
@pytest.mark.hazard("Abort, then prompt at once: late chunks of the old attempt are dropped")
async def test_prompt_right_after_abort(tmp_path: Path, phase: Phase) -> None:
    with _scene(tmp_path, phase) as scene:
        async with _reached(scene, phase) as client:
            abort = client.begin_command("abort")[1]
            assert (await abort)["outcome"] == "aborted"
            _assert_closed(scene)
            shown = len(client.notifications["perdure/delta"])
            operation = (await client.command("prompt", text="and now"))["operationId"]
            await wait_state(client, "idle")
            deltas = client.notifications["perdure/delta"][shown:]
            assert {delta["operationId"] for delta in deltas} <= {operation}
            await _nothing_lives_but(scene, client)
        assert scene.named("assistant")[-1]["entry"]["message"]["content"] == "fine"
        assert scene.names()[-1] == "operationFinished:completed"


def _scene(home: Path, phase: Phase) -> AbstractContextManager[Scene]:
    def replies(_number: int, body: JsonObject) -> Reply:
        if "tools" not in body:
            return phase.reply
        asked = [m["content"] for m in messages_of(body) if m["role"] == "user"]
        return phase.reply if asked[-1] == "go" else text_reply("fine")

    return scene_at(home, replies)


@asynccontextmanager
async def _reached(scene: Scene, phase: Phase) -> AsyncIterator[LspClient]:
    if phase.killed_before:
        async with scene.server() as client:
            await _connecting(scene, client)
            client.kill()
    async with scene.server(settings=phase.settings) as client:
        await phase.reach(scene, client)
        yield client


def _assert_closed(scene: Scene) -> None:
    assert scene.names()[-1] == "operationFinished:aborted"
    assert scene.names().count("abortRequested") == 1
    assert not (scene.folder / "late").exists()


async def _nothing_lives_but(scene: Scene, client: LspClient) -> None:
    """Wait until the server is the only process that was started in the home of the scene."""
    async with asyncio.timeout(PROMISE_SECONDS):
        while _processes(scene) != {client.process.pid}:  # noqa: ASYNC110  others end
            await asyncio.sleep(0.01)


def _processes(scene: Scene) -> set[int]:
    """Return the processes, zombies left out, that have inherited the home of the scene."""
    home = f"HOME={scene.home}".encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if home in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
        except OSError:
            continue
    return found
