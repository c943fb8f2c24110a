"""The parameters of a tool, as servers of both protocols can take them. Pure."""

from __future__ import annotations

from perdure.json_types import JsonObject, JsonValue
from perdure.providers.shapes import as_list, as_object

_LENGTHS = frozenset({"maxLength", "maxItems"})


def wire_schema(schema: JsonObject) -> JsonObject:
    """Return the schema without upper bounds of length.

    llama.cpp turns each into that many rules of a grammar, and refuses the whole request when
    there are too many. Arguments are checked against the full schema when they come.
    """
    return {key: _member(key, value) for key, value in schema.items() if key not in _LENGTHS}


def _member(key: str, value: JsonValue) -> JsonValue:
    match key:
        case "properties":
            return {name: _schema(inner) for name, inner in as_object(value).items()}
        case "items" | "additionalProperties":
            return _schema(value)
        case "oneOf" | "anyOf" | "allOf":
            return [_schema(inner) for inner in as_list(value)]
        case _:
            return value


def _schema(value: JsonValue) -> JsonValue:
    return wire_schema(value) if isinstance(value, dict) else value
