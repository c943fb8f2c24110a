"""Windows and prices of well-known models, for where the endpoint does not tell them.

``known_models.json`` says as of when, and where they were read; only exact names count, and names
with a date behind them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from perdure.json_types import JsonObject
from perdure.providers.offers import Offer
from perdure.providers.prices import prices_of
from perdure.providers.shapes import as_natural, as_object, parse_json

_DATE = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


def known_model(host: str, name: str) -> Offer:
    """Return what is known of a model at a host; an offer without anything for all others."""
    models = as_object(_table().get(host))
    row = as_object(models.get(_DATE.sub("", name)))
    prices = as_object(row.get("prices"))
    keys = ("input", "output", "cacheRead", "cacheWrite")
    return Offer(
        name=name,
        context_window=as_natural(row.get("contextWindow")) or None,
        prices=prices_of(*(_number(prices, key) for key in keys)),
    )


@cache
def _table() -> JsonObject:
    text = Path(__file__).with_name("known_models.json").read_text("utf-8")
    return as_object(as_object(parse_json(text)).get("models"))


def _number(prices: JsonObject, key: str) -> float | None:
    value = prices.get(key)
    return float(value) if isinstance(value, int | float) else None
