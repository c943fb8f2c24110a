"""Which provider the settings and the environment mean."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from tests.support.model_replies import error_reply
from tests.support.model_server import ModelServer

from perdure.errors import CommandError
from perdure.json_types import JsonObject
from perdure.providers.base import ModelRequest, Provider, ProviderError
from perdure.providers.configured import Probe
from perdure.providers.endpoint import BaseUrl, parse_base_url
from perdure.providers.local_server import first_model
from perdure.providers.model_settings import ModelSettings, PriceSettings
from perdure.providers.prices import Prices
from perdure.providers.registry import select

OLLAMA = "127.0.0.1:11434"
LOCAL = ModelSettings(base_url="http://127.0.0.1:9/v1", name="m")
HIGH: JsonObject = {"effort": "high"}
REQUEST = ModelRequest("", [{"role": "user", "content": "hi"}], ())


async def nobody(base_url: BaseUrl) -> str | None:
    return None


async def ollama(base_url: BaseUrl) -> str | None:
    return "llama" if base_url.authority in (OLLAMA, "127.0.0.1:9") else None


async def vllm(base_url: BaseUrl) -> str | None:
    return "served" if base_url.authority == "127.0.0.1:8000" else None


def chosen(
    settings: ModelSettings, environ: Mapping[str, str], probe: Probe | None = nobody
) -> Provider:
    return asyncio.run(select(settings, environ, probe))


CHOICES: list[tuple[ModelSettings, dict[str, str], Probe | None, str]] = [
    (ModelSettings(), {}, nobody, "demo:scripted"),
    (ModelSettings(), {}, None, "demo:scripted"),
    (ModelSettings(), {}, ollama, f"{OLLAMA}/v1:llama"),
    (ModelSettings(name="m"), {}, ollama, f"{OLLAMA}/v1:m"),
    (ModelSettings(), {"OPENAI_API_KEY": "k"}, ollama, "api.openai.com/v1:gpt-5.1"),
    (
        ModelSettings(),
        {"OPENROUTER_API_KEY": "k", "MISTRAL_API_KEY": "k"},
        nobody,
        "openrouter.ai/api/v1:openrouter/auto",
    ),
    (
        ModelSettings(name="m", api_key_env="GROQ_API_KEY"),
        {"OPENAI_API_KEY": "k", "GROQ_API_KEY": "k"},
        nobody,
        "api.groq.com/openai/v1:m",
    ),
    (
        ModelSettings(),
        {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"},
        nobody,
        "api.anthropic.com:claude-sonnet-5",
    ),
    (
        ModelSettings(provider="openai"),
        {"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"},
        nobody,
        "api.openai.com/v1:gpt-5.1",
    ),
    (
        ModelSettings(provider="anthropic", name="m"),
        {"ANTHROPIC_API_KEY": "k"},
        nobody,
        "api.anthropic.com:m",
    ),
    (
        ModelSettings(provider="anthropic", base_url="http://127.0.0.1:9/v1"),
        {},
        ollama,
        "127.0.0.1:9:llama",
    ),
    (ModelSettings(base_url="http://127.0.0.1:9/v1/", name="m"), {}, nobody, "127.0.0.1:9/v1:m"),
    (ModelSettings(base_url="http://127.0.0.1:9/v1"), {}, ollama, "127.0.0.1:9/v1:llama"),
    (
        ModelSettings(provider="openai"),
        {"DEEPSEEK_API_KEY": "k"},
        nobody,
        "api.deepseek.com/v1:deepseek-v4-pro",
    ),
    (
        ModelSettings(name="m"),
        {"GEMINI_API_KEY": "k"},
        nobody,
        "generativelanguage.googleapis.com/v1beta/openai:m",
    ),
    (
        ModelSettings(base_url="https://openrouter.ai/api/v1", name="m"),
        {"OPENAI_API_KEY": "k", "OPENROUTER_API_KEY": "k"},
        nobody,
        "openrouter.ai/api/v1:m",
    ),
    (ModelSettings(), {}, vllm, "127.0.0.1:8000/v1:served"),
    (ModelSettings(provider="demo", name="d"), {"OPENAI_API_KEY": "k"}, nobody, "demo:scripted"),
]


@pytest.mark.parametrize(("settings", "environ", "probe", "routing"), CHOICES)
def test_the_first_that_applies_is_taken(
    settings: ModelSettings, environ: dict[str, str], probe: Probe | None, routing: str
) -> None:
    assert chosen(settings, environ, probe).identity.routing == routing


def test_the_settings_reach_the_provider() -> None:
    settings = ModelSettings(
        base_url="http://127.0.0.1:9/v1", name="m", context_window=1000, max_output_tokens=50
    )
    provider = chosen(settings, {})
    assert provider.context_window == 1000
    assert provider.identity.output_options == {"max_tokens": 50}
    assert chosen(ModelSettings(provider="demo", name="d"), {}).identity.model == "d"


REFUSALS: list[tuple[ModelSettings, dict[str, str], str]] = [
    (ModelSettings(provider="anthropic"), {"OPENAI_API_KEY": "k"}, "ANTHROPIC_API_KEY"),
    (
        ModelSettings(provider="anthropic", base_url="https://x", name="m"),
        {"ANTHROPIC_API_KEY": "k"},
        "model.apiKeyEnv",
    ),
    (ModelSettings(provider="openai"), {}, "model.baseUrl"),
    (ModelSettings(name="m"), {}, "model.baseUrl"),
    (ModelSettings(api_key_env="MY_KEY"), {"MY_KEY": "k"}, "model.baseUrl"),
    (ModelSettings(base_url="http://127.0.0.1:9/v1"), {}, "model.name"),
    (ModelSettings(base_url="ftp://x"), {}, "http"),
    (ModelSettings(base_url="https://user:hidden@x/v1"), {}, "user name"),
    (ModelSettings(base_url="https://x/v1", name="m"), {"OPENAI_API_KEY": "k"}, "model.apiKeyEnv"),
    (ModelSettings(base_url="https://x/v1", name="m", api_key_env="MY_KEY"), {}, "MY_KEY"),
    (ModelSettings(base_url="https://api.openai.com/v1"), {}, "OPENAI_API_KEY"),
    (ModelSettings(), {"OPENAI_API_KEY": "hidden\nkey"}, "OPENAI_API_KEY"),
    (ModelSettings(), {"GEMINI_API_KEY": "k"}, "`perdure models`"),
    (ModelSettings(provider="openai"), {}, "Ollama, LM Studio, llama.cpp, vLLM"),
]


@pytest.mark.parametrize(("settings", "environ", "words"), REFUSALS)
def test_a_sentence_says_what_to_do(
    settings: ModelSettings, environ: dict[str, str], words: str
) -> None:
    with pytest.raises(CommandError) as raised:
        chosen(settings, environ)
    assert raised.value.code == "provider_not_configured"
    assert words in str(raised.value)
    assert "hidden" not in str(raised.value)


SENT: list[tuple[ModelSettings, JsonObject]] = [
    (LOCAL, {}),
    (LOCAL.model_copy(update={"thinking": "low"}), {"reasoning_effort": "low"}),
    (
        LOCAL.model_copy(update={"provider": "anthropic", "thinking": "high"}),
        {"max_tokens": 32_000, "thinking": {"type": "adaptive"}, "output_config": HIGH},
    ),
]


@pytest.mark.parametrize(("settings", "options"), SENT)
def test_how_much_to_think_is_sent_and_part_of_the_identity(
    settings: ModelSettings, options: JsonObject
) -> None:
    async def ask(base_url: str) -> JsonObject:
        provider = await select(settings.model_copy(update={"base_url": base_url}), {})
        with pytest.raises(ProviderError):
            await provider.complete(REQUEST, lambda delta: None)
        await provider.aclose()
        return provider.identity.output_options

    with ModelServer([error_reply(500, "x")]) as server:
        assert asyncio.run(ask(server.base_url)) == options
        assert server.requests[0].body.items() >= options.items()


PRICED: list[tuple[ModelSettings, Prices | None]] = [
    (LOCAL, None),
    (ModelSettings(provider="demo", prices=PriceSettings(input=1, output=2)), Prices(1, 2, 1, 1)),
    (ModelSettings(provider="demo", prices=PriceSettings(input=1)), None),
    (
        ModelSettings(
            base_url="http://127.0.0.1:9/v1",
            name="m",
            prices=PriceSettings(input=1, output=2, cache_read=0, cache_write=3),
        ),
        Prices(1, 2, 0, 3),
    ),
    (ModelSettings(name="gpt-5", api_key_env="OPENAI_API_KEY"), Prices(1.25, 10, 0.125, 1.25)),
]


@pytest.mark.parametrize(("settings", "prices"), PRICED)
def test_prices_are_those_of_the_settings_else_those_known(
    settings: ModelSettings, prices: Prices | None
) -> None:
    assert chosen(settings, {"OPENAI_API_KEY": "k"}).prices == prices


def test_probing_a_real_server() -> None:
    with ModelServer([]) as server:
        base_url = parse_base_url(server.base_url)
        assert base_url is not None
        assert asyncio.run(first_model(base_url)) == "test-model"
    assert asyncio.run(first_model(base_url)) is None


@pytest.mark.parametrize(
    ("text", "routing", "is_loopback"),
    [
        ("http://LOCALHOST:80/v1/", "localhost/v1:m", True),
        ("http://[::1]:8080", "[::1]:8080:m", True),
        ("http://127.9.9.9/v1", "127.9.9.9/v1:m", True),
        ("https://X.Example:443/api/v1//", "x.example/api/v1:m", False),
        ("https://x/v1/chat/completions", "x/v1:m", False),
        ("http://localhost.example/v1", "localhost.example/v1:m", False),
    ],
)
def test_base_urls(text: str, routing: str, is_loopback: bool) -> None:
    base_url = parse_base_url(text)
    assert base_url is not None
    assert base_url.routing("m") == routing
    assert base_url.is_loopback == is_loopback


@pytest.mark.parametrize("text", ["", "x", "http://", "http://h:port/", "file:///v1", "http://u@h"])
def test_texts_that_are_no_base_url(text: str) -> None:
    assert parse_base_url(text) is None


def test_the_query_of_a_base_url_is_sent_but_is_no_identity() -> None:
    base_url = parse_base_url("https://x/v1?api-version=3")
    assert base_url is not None
    assert base_url.url("/chat/completions") == "https://x/v1/chat/completions?api-version=3"
    assert base_url.routing("m") == "x/v1:m"
