"""Answers that the log cannot hold are failed ones: the session goes on and asks nothing again."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import Reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.core.codec import MAX_WRITE_BYTES

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

MOST = 2**53 - 1


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(text_reply("x" * MAX_WRITE_BYTES), id="longer than a line of the log"),
        pytest.param(text_reply("ok", usage=(MOST, MOST)), id="counters that overflow in sum"),
    ],
)
async def test_the_request_fails_and_the_next_one_works(tmp_path: Path, reply: Reply) -> None:
    with scene_at(tmp_path, lambda number, _: reply if number == 2 else text_reply("ok")) as scene:
        async with scene.server() as client:
            for _ in range(3):
                await client.command("prompt", text="go")
                await wait_state(client, "idle")
        assert len(scene.model.requests) == 3
    outcomes = [name for name in scene.names() if name.startswith("operationFinished")]
    assert [name.partition(":")[2] for name in outcomes] == ["completed", "failed", "completed"]
    (failure,) = scene.records("stepFailed")
    assert failure["error"]["code"] == "model_error"
    assert "cannot be stored" in failure["error"]["message"]
