"""Which models an endpoint offers, and what is known of them."""

from __future__ import annotations

import asyncio
import json
from importlib.resources import files

import pytest
from tests.support.model_server import ModelServer

from perdure.errors import CommandError
from perdure.json_types import JsonObject
from perdure.providers.base import ProviderError
from perdure.providers.known_models import known_model
from perdure.providers.model_list import ModelList, list_models
from perdure.providers.model_settings import ModelSettings
from perdure.providers.offers import Offer, read_offers
from perdure.providers.prices import Prices

LISTS: dict[str, tuple[JsonObject, list[Offer]]] = {
    "OpenAI": ({"object": "list", "data": [{"id": "a"}, {"id": "b"}]}, [Offer("a"), Offer("b")]),
    "vLLM": ({"data": [{"id": "a", "max_model_len": 7}]}, [Offer("a", 7)]),
    "llama.cpp": ({"data": [{"id": "a", "meta": {"n_ctx": 7, "n_ctx_train": 9}}]}, [Offer("a", 7)]),
    "Anthropic": ({"data": [{"type": "model", "id": "a", "max_input_tokens": 7}]}, [Offer("a", 7)]),
    "Gemini": ({"data": [{"id": "models/a"}]}, [Offer("a")]),
    "Ollama's tags": ({"models": [{"name": "a:1b", "model": "a:1b"}]}, [Offer("a:1b")]),
    "OpenRouter": (
        {
            "data": [
                {
                    "id": "v/a",
                    "context_length": 7,
                    "pricing": {
                        "prompt": "0.000002",
                        "completion": "0.00001",
                        "input_cache_read": "0.0000002",
                    },
                },
                {"id": "v/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
            ]
        },
        [Offer("v/a", 7, Prices(2, 10, 0.2, 2)), Offer("v/auto")],
    ),
    "twice": ({"data": [{"id": "a"}, {"id": "a", "max_model_len": 7}]}, [Offer("a", 7)]),
    "nonsense": ({"data": ["a", {"id": 5}, {}, {"id": "a\x1b[2J"}, {"id": "a\ud800"}]}, []),
}


@pytest.mark.parametrize(("answer", "offers"), LISTS.values(), ids=LISTS.keys())
def test_a_list_is_read(answer: JsonObject, offers: list[Offer]) -> None:
    assert read_offers(answer) == offers


def listed(server: ModelServer, **settings: str) -> ModelList:
    model = ModelSettings.model_validate({"baseUrl": server.base_url, **settings})
    return asyncio.run(list_models(model, {}))


def test_the_endpoint_is_asked_even_where_no_model_is_chosen() -> None:
    resources: dict[str, JsonObject] = {"/v1/models": {"data": [{"id": "a"}, {"id": "b"}]}}
    with ModelServer([], resources=resources) as server:
        assert listed(server).current == "a"
        assert listed(server, name="b").current == "b"
        assert [offer.name for offer in listed(server).offers] == ["a", "b"]


def test_the_other_protocol() -> None:
    resources: dict[str, JsonObject] = {
        "/v1/models?limit=1000": {"data": [{"id": "a", "max_input_tokens": 9}]}
    }
    with ModelServer([], resources=resources) as server:
        assert listed(server, provider="anthropic", name="a").offers == (Offer("a", 9),)


def test_a_server_that_lists_elsewhere() -> None:
    resources: dict[str, JsonObject] = {"/api/tags": {"models": [{"name": "a"}]}}
    with ModelServer([], resources=resources) as server:
        assert listed(server, name="a").offers == (Offer("a"),)


FAILURES: dict[str, tuple[dict[str, JsonObject], str, str]] = {
    "nothing there": ({}, "not_found", "answered 404"),
    "no list": ({"/v1/models": {"error": "Unexpected endpoint"}}, "bad_response", "list of models"),
}


@pytest.mark.parametrize(("resources", "code", "words"), FAILURES.values(), ids=FAILURES.keys())
def test_a_failing_endpoint_is_an_error(
    resources: dict[str, JsonObject], code: str, words: str
) -> None:
    with ModelServer([], resources=resources) as server:
        with pytest.raises(ProviderError, match=words) as raised:
            listed(server, name="m")
        assert raised.value.code == code


def test_nobody_there() -> None:
    with ModelServer([]) as server:
        pass
    with pytest.raises(ProviderError, match="Start the local model server"):
        listed(server, name="m")


def test_an_empty_list_is_no_error() -> None:
    with ModelServer([], resources={"/v1/models": {"data": []}}) as server:
        assert listed(server, name="m").offers == ()


def test_the_demo_and_what_is_not_configured() -> None:
    demo = asyncio.run(list_models(ModelSettings(provider="demo"), {}))
    assert demo == ModelList("demo", "demo", (Offer("demo"),))
    with pytest.raises(CommandError, match="OPENAI_API_KEY"):
        asyncio.run(list_models(ModelSettings(base_url="https://api.openai.com/v1"), {}))


@pytest.mark.parametrize(
    ("host", "name", "window"),
    [
        ("api.openai.com", "gpt-5", 400_000),
        ("api.openai.com", "gpt-5-2025-08-07", 400_000),
        ("api.anthropic.com", "claude-sonnet-4-5-20250929", 200_000),
        ("api.openai.com", "gpt-5-unheard-of", None),
        ("models.example", "gpt-5", None),
    ],
)
def test_a_well_known_model(host: str, name: str, window: int | None) -> None:
    assert known_model(host, name).context_window == window
    assert (known_model(host, name).prices is None) == (window is None)


def test_every_row_of_the_table_is_whole() -> None:
    table = json.loads(files("perdure.providers").joinpath("known_models.json").read_text())
    assert table["asOf"] > "2026"
    assert table["sources"]
    for host, models in table["models"].items():
        for name in models:
            prices = known_model(host, name).prices
            assert prices is not None
            assert prices.cache_read <= prices.input <= prices.cache_write <= prices.output
