"""A safe read that was interrupted is replayed, and the model then simply stops.

Other agents took the stale call of the older turn for the current one and damaged their session
exactly here (requirements, section I).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import by_turn, calls_reply, text_reply
from tests.support.model_server import assert_legal_history
from tests.support.scene import scene_at, wait_state
from tests.support.strace import killed_at_write, needs_strace

from perdure.core.reducer import Reduced, reduce_session

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

RESULT_OF_READ = 4
"""Writes of the event loop's thread: attempt, answer, intent, result. The prompt is synced, and so
written by the writer's thread; strace counts for each thread."""


@needs_strace
@pytest.mark.requirement(2, 23, 37, 82, 83, 84, 85, 87, 89, 90)
@pytest.mark.hazard("A safe `read` replayed after K9, then the model simply stops")
async def test_replayed_read_then_a_plain_stop(tmp_path: Path) -> None:
    replies = by_turn(calls_reply(("read", {"path": "note.txt"})), text_reply("It says hello."))
    with scene_at(tmp_path, replies) as scene:
        (scene.folder / "note.txt").write_text("hello\n")
        async with scene.server() as client:
            await client.command("newSession")
            pid, path = client.process.pid, scene.session_file()
            async with killed_at_write(pid, path, number=RESULT_OF_READ):
                await client.command("prompt", text="read it")
        assert scene.names()[-1] == "toolStarted"
        assert scene.model.count == 1

        async with scene.server() as client:
            await wait_state(client, "idle")
        assert scene.names()[-5:] == [
            "tool:success",
            "stepAttempt",
            "assistant",
            "usage",
            "operationFinished:completed",
        ]
        assert scene.names().count("toolStarted") == 1
        assert scene.tool_results() == ["hello\n"]
        assert scene.model.count == 2
        for request in scene.model.requests:
            assert_legal_history(request.body)

        reduced = reduce_session(scene.session_file().read_bytes())
        assert isinstance(reduced, Reduced)
        assert reduced.state.operation.kind == "idle"
        assert reduced.state.transcript[-1]["content"] == "It says hello."

        before = scene.digest()
        async with scene.server() as client:
            assert (await client.command("resume"))["outcome"] == "idle"
            assert (await client.command("prompt", text="and now?"))["operationId"]
            await wait_state(client, "idle")
        assert scene.digest() != before
