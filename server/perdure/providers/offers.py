"""The models that an endpoint offers, as its list says. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.prices import Prices, prices_of
from perdure.providers.shapes import as_list, as_natural, as_object, as_text

_MILLION = 1_000_000
_WINDOW_KEYS = (
    "context_length",  # OpenRouter, Ollama
    "max_model_len",  # vLLM
    "context_window",  # Groq
    "max_context_length",  # Mistral
    "max_input_tokens",  # Anthropic
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A model, and what is said of it; None means: not told."""

    name: str
    context_window: int | None = None
    prices: Prices | None = None


def read_offers(value: JsonValue) -> list[Offer]:
    """Return the models of a list in the form of any protocol, each name once, in its order."""
    listed = as_object(value)
    models = as_list(listed.get("data")) or as_list(listed.get("models"))
    offers = [read_offer(as_object(model)) for model in models]
    return list({offer.name: offer for offer in offers if offer is not None}.values())


def read_offer(model: JsonObject) -> Offer | None:
    """Return one model, None for what has no name that can be shown and typed."""
    name = as_text(model.get("id")) or as_text(model.get("name"))
    meta = as_object(model.get("meta"))  # llama.cpp: the size that is in force
    sizes = (as_natural(size) for size in (*map(model.get, _WINDOW_KEYS), meta.get("n_ctx")))
    window = next((size for size in sizes if size), None)
    if not name or not name.isprintable():
        return None
    return Offer(name.removeprefix("models/"), window, _prices(model))


def _prices(model: JsonObject) -> Prices | None:
    """OpenRouter tells the price of one token, as text; -1 stands for one that varies."""
    pricing = as_object(model.get("pricing"))
    keys = ("prompt", "completion", "input_cache_read", "input_cache_write")
    return prices_of(*(_per_million(pricing.get(key)) for key in keys))


def _per_million(value: JsonValue) -> float | None:
    try:
        price = float(as_text(value))
    except ValueError:
        return None
    return round(price * _MILLION, 6) if 0 <= price < 1 else None
