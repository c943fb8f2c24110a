"""Where endpoints tell how large the context of a model is, in tokens. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

from perdure.json_types import JsonValue
from perdure.providers.endpoint import BaseUrl
from perdure.providers.shapes import as_list, as_natural, as_object

_LIST_KEYS = (
    "context_length",  # OpenRouter, Ollama
    "max_model_len",  # vLLM
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
KNOWN_AS_OF = "2025-10"
KNOWN = {
    ("api.openai.com", "gpt-5"): 400_000,
    ("api.openai.com", "gpt-5-mini"): 400_000,
    ("api.openai.com", "gpt-5-nano"): 400_000,
    ("api.openai.com", "gpt-4.1"): 1_047_576,
    ("api.openai.com", "gpt-4o"): 128_000,
}
"""Windows by host and model where the endpoint does not tell, as documented at ``KNOWN_AS_OF``."""


@dataclass(frozen=True, slots=True)
class WindowSource:
    """A resource that may tell, and how to read it; ``read`` returns 0 where it does not."""

    url: str
    read: Callable[[JsonValue], int]


def openai_sources(base_url: BaseUrl, model: str) -> tuple[WindowSource, ...]:
    """Return the sources of an OpenAI-compatible endpoint, the most common first.

    On this machine also those of llama.cpp, LM Studio and Ollama: there the window that is in
    force is less than what the model was made for.
    """

    def listed(value: JsonValue) -> int:
        return _in_list(as_object(value).get("data"), model, _LIST_KEYS)

    def loaded(value: JsonValue) -> int:
        return _in_list(as_object(value).get("data"), model, ("loaded_context_length",))

    def running(value: JsonValue) -> int:
        return _in_list(as_object(value).get("models"), model, ("context_length",))

    models = WindowSource(base_url.url("/models"), listed)
    if not base_url.is_loopback:
        return (models,)
    root = replace(base_url, path="", query="")
    return (
        models,
        WindowSource(root.url("/props"), _llama_cpp),
        WindowSource(root.url("/api/v0/models"), loaded),
        WindowSource(root.url("/api/ps"), running),
    )


def anthropic_sources(base_url: BaseUrl, model: str) -> tuple[WindowSource, ...]:
    """Return the source of an endpoint that speaks Anthropic's protocol."""
    url = base_url.url(f"/v1/models/{quote(model, safe='')}")
    return (WindowSource(url, lambda value: as_natural(as_object(value).get("max_input_tokens"))),)


def _in_list(models: JsonValue, name: str, keys: tuple[str, ...]) -> int:
    for model in map(as_object, as_list(models)):
        if name in (model.get("id"), model.get("name")):
            return next((size for key in keys if (size := as_natural(model.get(key)))), 0)
    return 0


def _llama_cpp(value: JsonValue) -> int:
    return as_natural(as_object(as_object(value).get("default_generation_settings")).get("n_ctx"))
