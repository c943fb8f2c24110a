"""An editor that is reloaded again and again in the middle of the work."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import messages_of, scene_at, wait_state

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

STEPS = 20
RELOADS = 10


def _careful_model(_number: int, body: JsonObject) -> Reply:
    """Append line after line; where an outcome is unknown, look before repeating it."""
    messages = messages_of(body)
    last = messages[-1]
    if last["role"] == "user":
        return _append(1)
    done = json.loads(messages[-2]["tool_calls"][0]["function"]["arguments"])["timeout"]
    if "interrupted" in last["content"]:
        return _append(done, unless="grep -qx {0} effects || ")
    return _append(done + 1) if done < STEPS else text_reply("all lines are there")


def _append(step: int, unless: str = "") -> Reply:
    command = f"{unless.format(step)}echo {step} >> effects"
    return calls_reply(("bash", {"command": command, "timeout": step}))


async def _reload(client: LspClient, random: Random) -> None:
    await asyncio.sleep(random.uniform(0, 0.05))
    match random.randrange(3):
        case 0:
            client.kill()
        case 1:
            client.close_stdin()
        case _:
            await client.shutdown()
    await client.wait()


@pytest.mark.process
@pytest.mark.asyncio
@pytest.mark.requirement(2, 19, 28, 71, 72, 136)
@pytest.mark.hazard("Reload the window ten times at random moments of a 20-step run")
async def test_ten_reloads_leave_the_same_final_state(tmp_path: Path) -> None:
    random = Random(4)
    with scene_at(tmp_path, _careful_model) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="write the lines")
            await scene.until_fact(client, "assistant")
            await _reload(client, random)
        for _ in range(RELOADS - 1):
            async with scene.server() as client:
                await scene.until_fact(client, "assistant")
                await _reload(client, random)
        async with scene.server() as client:
            await wait_state(client, "idle")
            final = scene.digest()
            assert (await client.command("resume"))["outcome"] == "idle"
            assert scene.digest() == final
        assert scene.text("effects").split() == [str(step) for step in range(1, STEPS + 1)]
        assert scene.names()[-1] == "operationFinished:completed"
        attempts = Counter(record["stepId"] for record in scene.records("stepAttempt"))
        assert max(attempts.values()) <= 2
        for request in scene.model.requests:
            assert_legal_history(request.body)
            assert [m["role"] for m in messages_of(request.body)].count("user") == 1
