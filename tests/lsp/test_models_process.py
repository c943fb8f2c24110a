"""What an editor hears of models: their list, and what the session has cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import text_reply
from tests.support.scene import laid_over, scene_at, wait_state

from perdure.cli.lsp_connection import RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

PRICES: JsonObject = {"model": {"prices": {"input": 2, "output": 10}}}


async def test_the_list_names_the_current_model(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        async with scene.server() as client:
            found = await client.command("models")
            assert found["endpoint"] in scene.model.base_url
            assert found["models"] == [
                {"name": "test-model", "contextWindow": None, "current": True}
            ]
            scene.model.stop()
            with pytest.raises(RpcError, match="Start the local model server") as failed:
                await client.command("models")
            assert failed.value.data == {"code": "network"}


async def test_the_cost_is_told_where_prices_are_known(tmp_path: Path) -> None:
    replies = [text_reply("Hello", usage=(10, 5)), text_reply("Hello", usage=(10, 5))]
    with scene_at(tmp_path, replies) as scene:
        async with scene.server() as client:
            await scene.talk(client, "hi")
            assert (await client.command("status"))["usage"]["cost"] is None
            settings = laid_over(scene.settings(), PRICES)
            client.notify("workspace/didChangeConfiguration", {"settings": {"perdure": settings}})
            await scene.talk(client, "hi")
            status = await wait_state(client, "idle")
    assert status["usage"]["cost"] == pytest.approx(0.00014)
