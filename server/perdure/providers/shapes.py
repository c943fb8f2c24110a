"""Reading JSON from servers whose shapes are habits rather than promises.

Each function returns the value when it has the wanted shape, and the empty value otherwise.
"""

from __future__ import annotations

import json

from perdure.core.scalars import MAX_INTEGER
from perdure.json_types import JsonObject, JsonValue


class NotJson(ValueError):
    """The text is not JSON."""


def parse_json(text: str) -> JsonValue:
    """Return the parsed value; raw control characters in strings are tolerated. Raises NotJson."""
    try:
        value: JsonValue = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise NotJson("not JSON") from error
    return value


def as_object(value: JsonValue) -> JsonObject:
    """Return an object."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """Return a list."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """Return a string."""
    return value if isinstance(value, str) else ""


def as_natural(value: JsonValue) -> int:
    """Return a count that a usage fact can hold, 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 <= value <= MAX_INTEGER else 0
