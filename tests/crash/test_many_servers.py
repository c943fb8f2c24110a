"""Five servers at once on one workspace, again and again: one writes, the others say who."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from tests.support.model_replies import text_reply
from tests.support.scene import Scene, scene_at, wait_state
from tests.support.torture import count, report

from perdure.cli.lsp_client import LspClient, RpcError
from perdure.core.reducer import Reduced, reduce_session

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

SERVERS = 5


@pytest.mark.hazard(
    "Second server on the same workspace: sees the session read-only",
    "close the first: the second can take over within a second",
    "K9 of the first: the lock is free at once",
)
async def test_five_servers_at_once(tmp_path: Path) -> None:
    rounds = count(4, 50)
    with scene_at(tmp_path, lambda *_: text_reply("yes")) as scene:
        async with scene.server() as client:
            await scene.talk(client, "start")
        for number in range(rounds):
            async with AsyncExitStack() as stack:
                servers = [scene.server() for _ in range(SERVERS)]
                clients = await asyncio.gather(*map(stack.enter_async_context, servers))
                await _race(scene, clients, name=f"round {number}", killed=number % 2 == 0)
        prompts = [fact["entry"]["message"]["content"] for fact in scene.named("user")]
        expected = ["start", *(f"round {number}" for number in range(rounds))]
        report(
            11,
            "races of five servers",
            rounds,
            lost=len(set(expected) - set(prompts)),
            repeated=len(prompts) - len(set(prompts)),
        )
        assert prompts == expected
        assert isinstance(reduce_session(scene.session_file().read_bytes()), Reduced)


async def _race(scene: Scene, clients: Sequence[LspClient], *, name: str, killed: bool) -> None:
    """See who came first, end that one, and let another take over."""
    states = [await wait_state(client, "idle", "unavailable") for client in clients]
    holders = [i for i, status in enumerate(states) if status["state"] == "idle"]
    assert len(holders) == 1, [status["state"] for status in states]
    holder, *others = clients[holders[0]], *(c for i, c in enumerate(clients) if i not in holders)
    await _all_refused(scene, others, holder)
    if killed:
        holder.kill()
    else:
        await holder.shutdown()
    await holder.wait()
    next_holder, *others = others
    await next_holder.command("prompt", text=name)
    await wait_state(next_holder, "idle")
    await _all_refused(scene, others, next_holder)


async def _all_refused(scene: Scene, clients: Sequence[LspClient], holder: LspClient) -> None:
    before = scene.digest()
    for client in clients:
        with pytest.raises(RpcError) as refused:
            await client.command("prompt", text="mine")
        assert refused.value.data["code"] == "session_in_use"
        assert f"process {holder.process.pid}" in refused.value.message
    assert scene.digest() == before
