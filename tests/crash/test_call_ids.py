"""Models that are careless with the ids of calls: every call still has its own one result."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import scene_at, wait_state

pytestmark = [
    pytest.mark.process,
    pytest.mark.asyncio,
    pytest.mark.hazard("The model re-uses `call_1` in two turns, twice in one turn, or sends none"),
]

FIRST = ("bash", '{"command": "echo first >> effects"}')
SECOND = ("bash", '{"command": "echo second >> effects"}')
FATAL = ("bash", '{"command": "echo third >> effects; echo x > reached; sleep 300"}')


@pytest.mark.parametrize("ids", [("call_1", "call_1"), ("", "")], ids=["twice", "empty"])
async def test_a_crash_in_the_second_turn(tmp_path: Path, ids: tuple[str, ...]) -> None:
    turns = by_turn(
        calls_reply(FIRST, SECOND, ids=ids), calls_reply(FATAL, FIRST, ids=ids), text_reply("done")
    )
    with scene_at(tmp_path, turns) as scene:
        async with scene.server() as client:
            await client.command("prompt", text="go")
            await scene.until_file(client, "reached")
            client.kill()
        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.text("effects").split() == ["first", "second", "third", "first"]
        assert scene.names().count("tool:success") == 3
        assert scene.names().count("tool:interrupted") == 1
        for request in scene.model.requests:
            assert_legal_history(request.body)
