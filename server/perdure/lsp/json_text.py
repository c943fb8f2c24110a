"""JSON of the wire: fast where the text is ordinary, tolerant where it is not."""

from __future__ import annotations

import json
from typing import Any

import orjson

from perdure.core.text import without_lone_surrogates
from perdure.json_types import JsonValue


def decode(body: bytes) -> JsonValue:
    """Parse one message. A lone surrogate, which UTF-8 cannot carry on, becomes U+FFFD.

    Raises:
        ValueError: ``body`` is not JSON, not UTF-8, or nested too deeply.
    """
    try:
        value: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError:
        value = _decode_slowly(body)
    return value


def encode(value: Any) -> bytes:  # noqa: ANN401
    """Serialise JSON data, with U+FFFD for lone surrogates.

    Raises:
        TypeError: ``value`` is not JSON data.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return without_lone_surrogates(json.dumps(value, ensure_ascii=False)).encode()


def _decode_slowly(body: bytes) -> JsonValue:
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
        value: JsonValue = json.loads(without_lone_surrogates(text))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value
