"""The body that goes to a chat-completions server."""

from __future__ import annotations

import json

import pytest

from perdure.core.declarations import ToolDefinition
from perdure.core.messages import Call, Message
from perdure.json_types import JsonObject
from perdure.providers.base import ModelRequest
from perdure.providers.openai_dialect import dialect_of
from perdure.providers.openai_request import Encoder


def call(arguments: str) -> Call:
    return {"id": "a", "type": "function", "function": {"name": "read", "arguments": arguments}}


def body_of(
    *messages: Message,
    system: str = "",
    tools: tuple[ToolDefinition, ...] = (),
    opaque: dict[int, JsonObject] | None = None,
    host: str = "models.example",
) -> JsonObject:
    request = ModelRequest(system, messages, tools, opaque or {})
    body: JsonObject = json.loads(new_encoder(host).encode(request))
    return body


def new_encoder(host: str = "models.example") -> Encoder:
    return Encoder(model="m", options={"max_tokens": 9}, dialect=dialect_of(host))


def test_the_whole_body() -> None:
    body = body_of(
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call('{"path": "a"}')]},
        {"role": "tool", "content": "x", "tool_call_id": "a"},
        system="You are.",
        tools=(ToolDefinition("read", "Read a file.", {"type": "object"}),),
    )
    assert body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": None, "tool_calls": [call('{"path": "a"}')]},
            {"role": "tool", "tool_call_id": "a", "content": "x"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 9,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "read",
                    "description": "Read a file.",
                    "parameters": {"type": "object"},
                },
            }
        ],
    }


def test_a_summary_has_no_tools() -> None:
    assert "tools" not in body_of({"role": "user", "content": "hi"})


def test_empty_answers_are_left_out() -> None:
    body = body_of({"role": "assistant", "content": ""}, {"role": "user", "content": "hi"})
    assert body["messages"] == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("stored", "sent"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ("{}{}", "{}"),
        ("[1]", "{}"),
        ('{"a', "{}"),
        (r'{"a": "\ud83d"}', r'{"a": "\ufffd"}'),
    ],
)
def test_arguments_in_the_history_are_always_an_object(stored: str, sent: str) -> None:
    body = body_of({"role": "assistant", "content": None, "tool_calls": [call(stored)]})
    assert body["messages"] == [{"role": "assistant", "content": None, "tool_calls": [call(sent)]}]


@pytest.mark.parametrize(
    ("stored", "sent"),
    [("read", "read"), ("functions.read\n", "functions_read_"), ("", "_"), ("ü" * 99, "_" * 64)],
)
def test_names_of_calls_in_the_history_are_such_as_servers_take(stored: str, sent: str) -> None:
    calls: list[Call] = [
        {"id": "a", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in (stored, sent)
    ]
    bodies = [
        body_of({"role": "assistant", "content": None, "tool_calls": [call]}) for call in calls
    ]
    assert bodies[0] == bodies[1]


@pytest.mark.hazard("lone surrogates")
def test_no_lone_surrogate_reaches_the_wire() -> None:
    body = body_of({"role": "user", "content": "a\ud83db 🦀"}, system="\udd80")
    assert body["messages"] == [
        {"role": "system", "content": "\ufffd"},
        {"role": "user", "content": "a\ufffdb 🦀"},
    ]


@pytest.mark.parametrize(
    ("host", "limit", "options"),
    [
        ("api.openai.com", 5, {"max_completion_tokens": 5}),
        ("openrouter.ai", 5, {"max_tokens": 5}),
        ("api.openai.com", None, {}),
    ],
)
def test_output_options(host: str, limit: int | None, options: JsonObject) -> None:
    assert dialect_of(host).output_options(limit) == options


CALLING: Message = {"role": "assistant", "content": None, "tool_calls": [call("{}")]}


@pytest.mark.parametrize(
    ("host", "opaque", "sent"),
    [
        ("models.example", {}, None),
        ("models.example", {0: {"reasoning_content": "Hm."}}, "Hm."),
        ("api.deepseek.com", {0: {"reasoning_content": "Hm."}}, "Hm."),
        ("api.deepseek.com", {}, ""),
    ],
)
def test_reasoning_goes_back_where_it_is_known(
    host: str, opaque: dict[int, JsonObject], sent: str | None
) -> None:
    messages = body_of(CALLING, host=host, opaque=opaque)["messages"]
    assert isinstance(messages, list)
    assert isinstance(messages[0], dict)
    assert messages[0].get("reasoning_content") == sent


def test_nothing_opaque_goes_back_with_a_plain_answer() -> None:
    body = body_of({"role": "assistant", "content": "x"}, opaque={0: {"reasoning_content": "Hm."}})
    assert body["messages"] == [{"role": "assistant", "content": "x"}]


def test_a_growing_history_is_written_as_if_it_were_new() -> None:
    """The bytes of messages are kept; a lone surrogate, thinking and a compaction make no odds."""
    used: Message = {"role": "assistant", "content": None, "tool_calls": [call("{}")]}
    result: Message = {"role": "tool", "content": "x\ud83d", "tool_call_id": "a"}
    silent: Message = {"role": "assistant", "content": ""}
    thought: JsonObject = {"reasoning_content": "because"}
    history: list[Message] = [{"role": "user", "content": "hi"}, used, result, silent, result]
    requests = [ModelRequest("s\udc00", history[:end], ()) for end in range(1, 6)]
    requests += [ModelRequest("", history, (), {1: thought}), ModelRequest("", history[1:3], ())]
    encoder = new_encoder()
    assert [encoder.encode(one) for one in requests] == [
        new_encoder().encode(one) for one in requests
    ]
