"""Reading the argument text of a call (section 14.3 row 18)."""

from __future__ import annotations

import orjson

from perdure.core.codec import MAX_WRITE_DEPTH, nesting
from perdure.json_types import JsonObject, JsonValue

MAX_DEPTH = MAX_WRITE_DEPTH - 4
"""Leaves room for the transaction, the fact and the record around the arguments."""


def parse_arguments(text: str) -> JsonObject | None:
    """Return the object that ``text`` is, or None when it is not one that a record can hold.

    A repeated key keeps its last value. Refused besides what is not JSON: numbers beyond the
    range of a double, lone surrogates, and more than ``MAX_DEPTH`` levels.
    """
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or nesting(value) > MAX_DEPTH:
        return None
    return value
