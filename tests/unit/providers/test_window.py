"""What endpoints tell of a model's context window, and when they are asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.support.anthropic_replies import message_reply, text_block
from tests.support.model_replies import error_reply, text_reply
from tests.support.model_server import ModelServer

from perdure.json_types import JsonObject
from perdure.providers.anthropic_messages import AnthropicProvider
from perdure.providers.base import ModelRequest, Provider
from perdure.providers.endpoint import parse_base_url, without_version
from perdure.providers.openai_chat import OpenAIChatProvider
from perdure.providers.prices import Prices
from perdure.providers.remote import RemoteModel

REQUEST = ModelRequest("", [{"role": "user", "content": "hi"}], ())


def model_at(server: ModelServer) -> RemoteModel:
    base_url = parse_base_url(server.base_url)
    assert base_url is not None
    return RemoteModel(base_url=base_url, name="m")


async def window_after_a_request(provider: Provider) -> int | None:
    before = provider.context_window
    await provider.complete(REQUEST, lambda delta: None)
    after = provider.context_window
    await provider.aclose()
    assert before is None
    return after


def listed(**model: int) -> dict[str, JsonObject]:
    others: JsonObject = {"id": "other", "context_length": 1}
    return {"/v1/models": {"data": [others, {"id": "m", **model}]}}


TELLING: dict[str, tuple[dict[str, JsonObject], int | None]] = {
    "OpenRouter": (listed(context_length=5), 5),
    "vLLM": (listed(max_model_len=5), 5),
    "Groq": (listed(context_window=5), 5),
    "Mistral": (listed(max_context_length=5), 5),
    "llama.cpp": ({"/props": {"default_generation_settings": {"n_ctx": 5}}}, 5),
    "LM Studio": ({"/api/v0/models": {"data": [{"id": "m", "loaded_context_length": 5}]}}, 5),
    "Ollama": ({"/api/ps": {"models": [{"name": "m", "context_length": 5}]}}, 5),
    "nobody": (listed(), None),
    "nonsense": ({"/v1/models": {"data": [{"id": "m", "context_length": -1}]}}, None),
}


@pytest.mark.parametrize(("resources", "window"), TELLING.values(), ids=TELLING.keys())
def test_the_window_is_known_after_the_first_request(
    resources: dict[str, JsonObject], window: int | None
) -> None:
    with ModelServer([text_reply("Hello")], resources=resources) as server:
        provider = OpenAIChatProvider(model_at(server))
        assert asyncio.run(window_after_a_request(provider)) == window


def test_an_endpoint_of_the_other_protocol() -> None:
    resources: dict[str, JsonObject] = {"/v1/models/m": {"id": "m", "max_input_tokens": 5}}
    with ModelServer([message_reply(text_block("Hi"))], resources=resources) as server:
        model = model_at(server)
        provider = AnthropicProvider(replace(model, base_url=without_version(model.base_url)))
        assert asyncio.run(window_after_a_request(provider)) == 5


def test_a_configured_window_is_not_asked_for() -> None:
    async def ask(server: ModelServer) -> int | None:
        provider = OpenAIChatProvider(replace(model_at(server), context_window=7))
        await provider.complete(REQUEST, lambda delta: None)
        await provider.aclose()
        return provider.context_window

    with ModelServer([text_reply("Hello")], resources=listed(context_length=5)) as server:
        assert asyncio.run(ask(server)) == 7


def test_a_local_server_that_knows_later_is_asked_again() -> None:
    resources = listed()

    async def ask(server: ModelServer) -> list[int | None]:
        provider = OpenAIChatProvider(model_at(server))
        await provider.complete(REQUEST, lambda delta: None)
        before = provider.context_window
        resources.update(listed(max_model_len=5))
        await provider.complete(REQUEST, lambda delta: None)
        await provider.aclose()
        return [before, provider.context_window]

    with ModelServer([text_reply("a"), text_reply("b")], resources=resources) as server:
        assert asyncio.run(ask(server)) == [None, 5]


def test_a_failing_question_fails_nothing() -> None:
    async def ask(server: ModelServer) -> str | None:
        provider = OpenAIChatProvider(model_at(server))
        answer = await provider.complete(REQUEST, lambda delta: None)
        await provider.aclose()
        await provider.aclose()
        return answer.message["content"]

    with ModelServer([text_reply("Hello"), error_reply(500, "x")], resources={}) as server:
        assert asyncio.run(ask(server)) == "Hello"


def test_prices_are_told_with_the_window() -> None:
    pricing: JsonObject = {"prompt": "0.000001", "completion": "0.000002"}
    model: JsonObject = {"id": "m", "context_length": 5, "pricing": pricing}

    async def ask(server: ModelServer) -> Prices | None:
        provider = OpenAIChatProvider(model_at(server))
        assert provider.prices is None
        await provider.complete(REQUEST, lambda delta: None)
        await provider.aclose()
        return provider.prices

    resources: dict[str, JsonObject] = {"/v1/models": {"data": [model]}}
    with ModelServer([text_reply("Hello")], resources=resources) as server:
        assert asyncio.run(ask(server)) == Prices(1, 2, 1, 1)


def test_a_local_server_of_the_other_protocol_tells_in_its_list() -> None:
    resources: dict[str, JsonObject] = {"/v1/models": {"data": [{"id": "m", "max_model_len": 5}]}}
    with ModelServer([message_reply(text_block("Hi"))], resources=resources) as server:
        model = model_at(server)
        provider = AnthropicProvider(replace(model, base_url=without_version(model.base_url)))
        assert asyncio.run(window_after_a_request(provider)) == 5
