"""The bytes of a request body. Pure."""

from __future__ import annotations

import json

import orjson

from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonObject


def request_json(body: JsonObject) -> bytes:
    """Return compact JSON without lone surrogates; what orjson refuses goes the slow way."""
    try:
        return orjson.dumps(body)
    except TypeError:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return without_lone_surrogates(text).encode()
