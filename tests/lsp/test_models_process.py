"""What an editor hears of models: their list, and what the session has cost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import error_reply, text_reply
from tests.support.scene import scene_at, wait_state

from perdure.cli.lsp_connection import RpcError
from perdure.json_types import JsonObject

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

PRICES: JsonObject = {"model": {"prices": {"input": 2, "output": 10}}}


async def test_the_list_names_the_current_model(tmp_path: Path) -> None:
    with scene_at(tmp_path, []) as scene:
        async with scene.server() as client:
            found = await client.command("models")
    assert found["endpoint"] in scene.model.base_url
    assert found["models"] == [{"name": "test-model", "contextWindow": None, "current": True}]


async def test_an_endpoint_that_fails_is_an_error_in_words(tmp_path: Path) -> None:
    with scene_at(tmp_path, [error_reply(500, "x")]) as scene:
        async with scene.server() as client:
            scene.model.stop()
            with pytest.raises(RpcError, match="Start the local model server") as failed:
                await client.command("models")
    assert failed.value.data == {"code": "network"}


@pytest.mark.parametrize(("settings", "cost"), [({}, None), (PRICES, 0.00007)])
async def test_the_cost_is_told_where_prices_are_known(
    tmp_path: Path, settings: JsonObject, cost: float | None
) -> None:
    with scene_at(tmp_path, [text_reply("Hello", usage=(10, 5))]) as scene:
        async with scene.server(settings=settings) as client:
            await scene.talk(client, "hi")
            status = await wait_state(client, "idle")
    assert status["usage"]["cost"] == (None if cost is None else pytest.approx(cost))
