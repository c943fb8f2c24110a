"""The body that goes to a server of Anthropic's Messages protocol."""

from __future__ import annotations

import json

import pytest

from perdure.core.declarations import ToolDefinition
from perdure.core.messages import Call, Message
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.anthropic_history import NO_RESULT, wire_turns
from perdure.providers.anthropic_request import encode_request
from perdure.providers.base import ModelRequest

CACHED: JsonObject = {"cache_control": {"type": "ephemeral"}}


def call(call_id: str, arguments: str = "{}") -> Call:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": arguments}}


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def calling(*calls: Call, text: str | None = None) -> Message:
    return {"role": "assistant", "content": text, "tool_calls": [*calls]}


def result(call_id: str, text: str = "x") -> Message:
    return {"role": "tool", "content": text, "tool_call_id": call_id}


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def use(call_id: str, arguments: JsonObject | None = None) -> JsonObject:
    return {"type": "tool_use", "id": call_id, "name": "read", "input": arguments or {}}


def answered(call_id: str, text: str = "x") -> JsonObject:
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}


def unanswered(call_id: str) -> JsonObject:
    return {**answered(call_id, NO_RESULT), "is_error": True}


def test_the_whole_body() -> None:
    tools = tuple(ToolDefinition(name, "Do.", {"type": "object"}) for name in ("read", "bash"))
    request = ModelRequest("You are.", [user("hi")], tools)
    body = json.loads(encode_request(request, model="m", options={"max_tokens": 9}))
    tool: JsonObject = {"name": "read", "description": "Do.", "input_schema": {"type": "object"}}
    assert body == {
        "model": "m",
        "max_tokens": 9,
        "stream": True,
        "system": [{**text_block("You are."), **CACHED}],
        "tools": [tool, {**tool, "name": "bash", **CACHED}],
        "messages": [{"role": "user", "content": [{**text_block("hi"), **CACHED}]}],
    }


def test_the_last_two_turns_of_the_user_are_marked_for_the_cache() -> None:
    history = [user("a"), calling(call("1")), result("1"), calling(call("2")), result("2")]
    body = json.loads(encode_request(ModelRequest("", history, ()), model="m", options={}))
    marked = ["cache_control" in turn["content"][-1] for turn in body["messages"]]
    assert marked == [False, False, True, False, True]
    assert "system" not in body
    assert "tools" not in body


TURNS: dict[str, tuple[list[Message], list[list[JsonValue]]]] = {
    "results in the order of their calls, before what the user said": (
        [user("a"), calling(call("1"), call("2")), result("2", "y"), result("1"), user("b")],
        [
            [text_block("a")],
            [use("1"), use("2")],
            [answered("1"), answered("2", "y"), text_block("b")],
        ],
    ),
    "a call at the end without its result": (
        [user("a"), calling(call("1"), text="So.")],
        [[text_block("a")], [text_block("So."), use("1")], [unanswered("1")]],
    ),
    "a second result of one call, and one of another turn": (
        [user("a"), calling(call("1")), result("1"), calling(call("2")), result("1"), result("2")],
        [[text_block("a")], [use("1")], [answered("1")], [use("2")], [answered("2")]],
    ),
    "blank texts and empty answers": (
        [user(" "), user("a"), {"role": "assistant", "content": "\n"}, user("b")],
        [[text_block("a"), text_block("b")]],
    ),
    "two answers in a row": (
        [user("a"), {"role": "assistant", "content": "b"}, {"role": "assistant", "content": "c"}],
        [[text_block("a")], [text_block("b"), text_block("c")]],
    ),
    "arguments": (
        [calling(call("1", '{"path": "a"}'), call("2", "[1]"), call("3", '{"a'))],
        [
            [use("1", {"path": "a"}), use("2"), use("3")],
            [unanswered("1"), unanswered("2"), unanswered("3")],
        ],
    ),
}


@pytest.mark.parametrize(("history", "turns"), TURNS.values(), ids=TURNS.keys())
def test_turns(history: list[Message], turns: list[list[JsonValue]]) -> None:
    assert [turn["content"] for turn in wire_turns(history, {})] == turns


@pytest.mark.parametrize("second", ["same", "a b", "", "x" * 65])
def test_ids_become_legal_and_unique_in_the_request(second: str) -> None:
    history = [user("a"), calling(call("same")), result("same"), calling(call(second))]
    turns = wire_turns([*history, result(second)], {})
    flat = json.loads(json.dumps(turns))
    first_use, second_use = flat[1]["content"][0], flat[3]["content"][0]
    assert first_use["id"] == flat[2]["content"][0]["tool_use_id"] == "same"
    assert second_use["id"] == flat[4]["content"][0]["tool_use_id"]
    assert second_use["id"].startswith("toolu_")


def test_names_of_calls_are_such_as_the_server_takes() -> None:
    named = call("1")
    named["function"]["name"] = "functions.read"
    kept: JsonObject = {"content": [{**use("1"), "name": "functions.read"}]}
    for opaque in ({}, {1: kept}):
        (block,) = json.loads(json.dumps(wire_turns([user("a"), calling(named)], opaque)[1]))[
            "content"
        ]
        assert block == {**use("1"), "name": "functions_read"}


THINKING: JsonObject = {"type": "thinking", "thinking": "Hm.", "signature": "SIG"}


def test_thinking_goes_back_only_with_the_calls_it_led_to() -> None:
    history = [user("a"), calling(call("1"))]
    kept: JsonObject = {"content": [THINKING, text_block("So."), use("1")]}
    foreign: JsonObject = {"content": [THINKING, use("9")]}
    assert wire_turns(history, {1: kept})[1]["content"] == kept["content"]
    assert wire_turns(history, {1: foreign})[1]["content"] == [use("1")]
    assert wire_turns(history, {})[1]["content"] == [use("1")]


@pytest.mark.hazard("lone surrogates")
def test_no_lone_surrogate_reaches_the_wire() -> None:
    body = encode_request(ModelRequest("\udd80", [user("a\ud83d")], ()), model="m", options={})
    assert "a\ufffd" in body.decode()
