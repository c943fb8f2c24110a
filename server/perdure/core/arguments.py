"""Reading the argument text of a call (section 14.3 row 18)."""

from __future__ import annotations

import orjson

from perdure.json_types import JsonObject, JsonValue

MAX_DEPTH = 190
"""Stays below the 200 levels that a line may have, record and transaction included."""


def parse_arguments(text: str) -> JsonObject | None:
    """Return the object that ``text`` is, or None when it is not one that a record can hold.

    A repeated key keeps its last value. Refused besides what is not JSON: numbers beyond the
    range of a double, lone surrogates, and more than ``MAX_DEPTH`` levels.
    """
    try:
        value: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, dict) or _is_too_deep(value):
        return None
    return value


def _is_too_deep(value: JsonValue) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(value: JsonValue) -> list[JsonValue]:
    match value:
        case dict():
            return list(value.values())
        case list():
            return value
        case _:
            return []
