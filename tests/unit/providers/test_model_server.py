"""The scripted model server itself, over plain HTTP."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request

import pytest
from tests.support.model_replies import (
    Reply,
    by_turn,
    calls_reply,
    cut_reply,
    error_reply,
    hang_reply,
    slow_reply,
    text_reply,
)
from tests.support.model_server import ModelServer, assert_legal_history

from perdure.json_types import JsonObject


def post(server: ModelServer, body: JsonObject) -> str:
    request = urllib.request.Request(  # noqa: S310
        f"{server.base_url}/chat/completions", json.dumps(body).encode(), {"X-Test": "1"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
        return str(response.read().decode())


def test_replies_in_order_and_records() -> None:
    with ModelServer([text_reply("Hello"), slow_reply(text_reply("x"), seconds=0.001)]) as server:
        assert '"content": "Hel"' in post(server, {"messages": []})
        assert post(server, {"messages": [], "n": 2}).endswith("data: [DONE]\n\n")
        with pytest.raises(urllib.error.HTTPError, match="500"):
            post(server, {"messages": []})
    assert server.count == 3
    assert server.requests[1].body == {"messages": [], "n": 2}
    assert server.requests[0].headers["x-test"] == "1"
    assert server.requests[0].path == "/v1/chat/completions"


def test_a_function_may_choose() -> None:
    with ModelServer(by_turn(calls_reply(("bash", {})), text_reply("Done"))) as server:
        first: JsonObject = {"messages": [{"role": "user", "content": "go"}]}
        later: JsonObject = {"messages": [{"role": "assistant", "content": "x"}]}
        assert "bash" in post(server, first)
        assert "bash" in post(server, first)
        assert "Done" not in post(server, first)
        assert "Do" in post(server, later)


def test_faults() -> None:
    replies = [
        error_reply(429, "slow down", {"retry-after": "7"}),
        cut_reply(text_reply("Hello"), after=1),
        Reply(status=0),
    ]
    with ModelServer(replies) as server:
        with pytest.raises(urllib.error.HTTPError) as limited:
            post(server, {"messages": []})
        assert limited.value.headers["retry-after"] == "7"
        with pytest.raises(http.client.IncompleteRead):
            post(server, {"messages": []})
        with pytest.raises(http.client.RemoteDisconnected):
            post(server, {"messages": []})


@pytest.mark.parametrize("reply", [hang_reply(), hang_reply(text_reply("Hello"), after=1)])
def test_a_hanging_reply_sees_the_client_leave(reply: Reply) -> None:
    with ModelServer([reply]) as server:
        connection = http.client.HTTPConnection(server.base_url.split("/")[2], timeout=5)
        connection.request("POST", "/v1/chat/completions", b'{"messages": []}')
        server.wait_for_requests(1)
        assert server.departed == 0
        connection.close()
        server.wait_for_departures(1)


CALLS: JsonObject = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}


def result(call_id: str) -> JsonObject:
    return {"role": "tool", "tool_call_id": call_id, "content": ""}


def test_legal_history() -> None:
    assert_legal_history({"messages": [CALLS, result("a"), result("b"), {"role": "user"}]})


@pytest.mark.parametrize(
    "messages",
    [
        [CALLS, result("a")],
        [CALLS, result("b"), result("a")],
        [CALLS, result("a"), {"role": "user"}, result("b")],
        [CALLS, result("a"), result("b"), result("b")],
        [result("a")],
        [{"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "a"}]}, result("a"), result("a")],
    ],
)
def test_illegal_history(messages: list[JsonObject]) -> None:
    with pytest.raises(AssertionError):
        assert_legal_history({"messages": list(messages)})
