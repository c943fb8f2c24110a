"""The tool ``diagnostics`` asks the client, where the client can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import messages_of, scene_at

from perdure.json_types import JsonObject, JsonValue

pytestmark = [pytest.mark.process, pytest.mark.asyncio]

REPORTS: JsonObject = {"experimental": {"perdure": {"diagnostics": True}}}
RANGE: JsonObject = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 1}}


def _reply(_number: int, body: JsonObject) -> Reply:
    if messages_of(body)[-1]["role"] == "user":
        return calls_reply(("diagnostics", {"path": "a.py"}))
    return text_reply("done")


def _offered(body: JsonObject) -> list[JsonValue]:
    tools = body["tools"]
    assert isinstance(tools, list)
    return [tool["function"]["name"] for tool in tools if isinstance(tool, dict)]  # type: ignore[index,call-overload]


async def test_the_client_is_asked(tmp_path: Path) -> None:
    with scene_at(tmp_path, _reply) as scene:
        file = scene.folder / "a.py"
        file.touch()
        good: JsonObject = {
            "range": RANGE,
            "message": "undefined name",
            "severity": 1,
            "source": "ruff",
            "code": 7,
            "tags": [1],
            "relatedInformation": [],
        }
        bad: list[JsonValue] = [None, 1, {}, {"message": "x"}, {"range": {}, "message": "x"}]
        answers: list[JsonValue] = [
            {"items": [{"uri": file.as_uri(), "diagnostics": [*bad, good]}, *bad]},
            {"items": []},
            None,
        ]
        async with scene.server(capabilities=REPORTS) as client:
            client.on_request("perdure/diagnostics", lambda _: answers.pop(0))
            await scene.talk(client, "one", "two", "three")
            assert client.requests["perdure/diagnostics"] == [{"uri": file.as_uri()}] * 3
        nothing = "The editor reports no problems for a.py."
        told = "a.py:3:1: error: undefined name (ruff 7)"
        assert scene.tool_results() == [told, nothing, nothing]
        assert "diagnostics" in _offered(scene.model.requests[0].body)


async def test_it_is_not_offered_where_nobody_can_be_asked(tmp_path: Path) -> None:
    with scene_at(tmp_path, [text_reply("done")]) as scene:
        async with scene.server() as client:
            await scene.talk(client, "one")
        assert "diagnostics" not in _offered(scene.model.requests[0].body)
