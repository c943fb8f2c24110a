"""Answers in Anthropic's Messages protocol that the shared wire vectors leave out."""

from __future__ import annotations

import asyncio
import json

import pytest
from tests.support.model_replies import Reply
from tests.support.model_server import ModelServer

from perdure.core.messages import calls_of
from perdure.json_types import JsonObject, JsonValue
from perdure.providers.anthropic_messages import AnthropicProvider
from perdure.providers.anthropic_stream import MessageAssembler
from perdure.providers.base import Answer, Delta, ModelRequest, ProviderError
from perdure.providers.endpoint import parse_base_url, without_version
from perdure.providers.origin import Origin
from perdure.providers.remote import RemoteModel
from perdure.providers.response_body import ResponseBody

STOP: JsonObject = {"type": "message_stop"}


def start(index: int, block: JsonObject) -> JsonObject:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, value: JsonObject) -> JsonObject:
    return {"type": "content_block_delta", "index": index, "delta": value}


def stopped(reason: str) -> JsonObject:
    return {"type": "message_delta", "delta": {"stop_reason": reason}}


def use(call_id: str, **more: JsonValue) -> JsonObject:
    return {"type": "tool_use", "id": call_id, "name": "read", **more}


def stream(*events: JsonObject) -> bytes:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()


def read(*events: JsonObject) -> tuple[Answer, list[Delta]]:
    deltas: list[Delta] = []
    assembler = MessageAssembler(
        origin=Origin("models.example"), new_call_id=lambda: "new", on_delta=deltas.append
    )
    body = ResponseBody(assembler, content_type="text/event-stream")
    body.feed(stream(*events))
    return body.finish(), deltas


CALLS: dict[str, tuple[list[JsonObject], list[tuple[str, str]]]] = {
    "the whole input at once": (
        [start(0, use("a", input={"path": "x"}))],
        [("a", '{"path": "x"}')],
    ),
    "no input": ([start(0, use("a", input={}))], [("a", "{}")]),
    "an id twice": ([start(0, use("a")), start(1, use("a"))], [("a", "{}"), ("new", "{}")]),
    "input that is no JSON": (
        [start(0, use("a")), delta(0, {"type": "input_json_delta", "partial_json": '{"p'})],
        [("a", '{"p')],
    ),
}


@pytest.mark.parametrize(("events", "calls"), CALLS.values(), ids=CALLS.keys())
def test_calls(events: list[JsonObject], calls: list[tuple[str, str]]) -> None:
    answer, _ = read(*events, stopped("tool_use"), STOP)
    found = [(call["id"], call["function"]["arguments"]) for call in calls_of(answer.message)]
    assert found == calls
    assert answer.stop_reason == "toolUse"
    assert answer.opaque is None


def test_tool_use_without_a_call_is_a_plain_stop() -> None:
    answer, _ = read(start(0, {"type": "text", "text": "Hi"}), stopped("tool_use"), STOP)
    assert (answer.message["content"], answer.stop_reason) == ("Hi", "stop")


def test_truncated_calls_are_never_run() -> None:
    answer, _ = read(start(0, use("a")), stopped("max_tokens"), STOP)
    assert answer.stop_reason == "length"


def test_thinking_is_shown_and_kept_beside_the_message() -> None:
    thinking: JsonObject = {"type": "thinking", "thinking": "", "signature": ""}
    answer, deltas = read(
        start(0, thinking),
        delta(0, {"type": "thinking_delta", "thinking": "Hm."}),
        delta(0, {"type": "signature_delta", "signature": "SIG"}),
        start(1, {"type": "text", "text": ""}),
        start(2, use("a")),
        stopped("tool_use"),
    )
    assert deltas == [Delta("reasoning", "Hm.")]
    assert answer.opaque == {
        "content": [{**thinking, "thinking": "Hm.", "signature": "SIG"}, use("a", input={})]
    }
    assert "Hm." not in json.dumps(answer.message)


def test_thinking_before_a_plain_answer_is_not_kept() -> None:
    thinking: JsonObject = {"type": "thinking", "thinking": "Hm.", "signature": "SIG"}
    answer, _ = read(start(0, thinking), start(1, {"type": "text", "text": "Hi"}), STOP)
    assert answer.opaque is None


def test_what_was_used_is_known_of_a_failed_request() -> None:
    usage: JsonObject = {"input_tokens": 9, "cache_creation_input_tokens": 4, "output_tokens": None}
    with pytest.raises(ProviderError) as raised:
        read({"type": "message_start", "message": {"usage": usage}}, stopped("refusal"), STOP)
    assert raised.value.usage == {"input": 9, "output": 0, "cacheRead": 0, "cacheWrite": 4}


def test_what_is_sent() -> None:
    async def ask(server: ModelServer, key: str) -> AnthropicProvider:
        base_url = parse_base_url(server.base_url)
        assert base_url is not None
        model = RemoteModel(base_url=without_version(base_url), name="m", api_key=key)
        provider = AnthropicProvider(model)
        request = ModelRequest("", [{"role": "user", "content": "hi"}], ())
        await provider.complete(request, lambda delta: None)
        await provider.aclose()
        return provider

    reply = Reply(parts=(stream(start(0, {"type": "text", "text": "Hi"}), STOP),))
    with ModelServer([reply, reply]) as server:
        provider = asyncio.run(ask(server, "sk-secret"))
        asyncio.run(ask(server, ""))
        with_key, without_key = server.requests
    assert with_key.path == "/v1/messages"
    assert with_key.headers["x-api-key"] == "sk-secret"
    assert with_key.headers["anthropic-version"]
    assert "x-api-key" not in without_key.headers
    assert with_key.body["max_tokens"] == provider.identity.output_options["max_tokens"]
    assert provider.identity.adapter == "anthropic:messages:v1"
    assert provider.identity.routing == server.base_url.removeprefix("http://")[:-3] + ":m"
