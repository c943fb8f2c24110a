"""Where endpoints tell how large the context of a model is, and what it costs. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote

from perdure.json_types import JsonValue
from perdure.providers.endpoint import BaseUrl
from perdure.providers.offers import Offer, read_offer, read_offers
from perdure.providers.shapes import as_list, as_natural, as_object


@dataclass(frozen=True, slots=True)
class WindowSource:
    """A resource that may tell, and how to read it."""

    url: str
    read: Callable[[JsonValue], Offer]


def openai_sources(base_url: BaseUrl, model: str) -> tuple[WindowSource, ...]:
    """Return the sources of an OpenAI-compatible endpoint, the most common first.

    On this machine also those of llama.cpp, LM Studio and Ollama: there the window that is in
    force is less than what the model was made for.
    """

    def loaded(value: JsonValue) -> Offer:
        return _in_list(as_object(value).get("data"), model, "loaded_context_length")

    def running(value: JsonValue) -> Offer:
        return _in_list(as_object(value).get("models"), model, "context_length")

    def served(value: JsonValue) -> Offer:
        settings = as_object(as_object(value).get("default_generation_settings"))
        return Offer(model, as_natural(settings.get("n_ctx")) or None)

    listed = _listed(base_url.url("/models"), model)
    if not base_url.is_loopback:
        return (listed,)
    root = replace(base_url, path="", query="")
    return (
        listed,
        WindowSource(root.url("/props"), served),
        WindowSource(root.url("/api/v0/models"), loaded),
        WindowSource(root.url("/api/ps"), running),
    )


def anthropic_sources(base_url: BaseUrl, model: str) -> tuple[WindowSource, ...]:
    """Return the sources of an endpoint that speaks Anthropic's protocol."""
    url = base_url.url(f"/v1/models/{quote(model, safe='')}")
    told = WindowSource(url, lambda value: read_offer(as_object(value)) or Offer(model))
    return (told, _listed(base_url.url("/v1/models"), model)) if base_url.is_loopback else (told,)


def _listed(url: str, model: str) -> WindowSource:
    def read(value: JsonValue) -> Offer:
        named = (offer for offer in read_offers(value) if offer.name == model)
        return next(named, Offer(model))

    return WindowSource(url, read)


def _in_list(models: JsonValue, name: str, key: str) -> Offer:
    for model in map(as_object, as_list(models)):
        if name in (model.get("id"), model.get("name")):
            return Offer(name, as_natural(model.get(key)) or None)
    return Offer(name)
