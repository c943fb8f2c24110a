"""The JSON-Schema subset of tool definitions.

``type`` (one name), ``properties``, ``required``, ``additionalProperties``, ``items``, ``enum``,
``const``, ``oneOf``, bounds of numbers, strings and arrays, ``pattern``, ``description``. A
schema with any other keyword is refused when its tool is admitted, so that no rule is silently
ignored when arguments are checked.
"""

from __future__ import annotations

import re

from perdure.errors import ToolError
from perdure.json_types import JsonValue

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
"""The names of ``type`` and the Python types of parsed JSON that they stand for."""

_SUBSCHEMAS = {"items", "additionalProperties"}
_KEYWORDS = _SUBSCHEMAS | {
    "type",
    "properties",
    "required",
    "enum",
    "const",
    "oneOf",
    "pattern",
    "description",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
}


def check_schema(schema: JsonValue, path: str = "parameters") -> None:
    """Raise ToolError when ``schema`` goes beyond the subset; the sentence names the place."""
    if not isinstance(schema, dict):
        raise ToolError(f"{path} must be a JSON Schema object.")
    for keyword, value in schema.items():
        _check_keyword(keyword, value, f"{path}.{keyword}")


def is_number(value: JsonValue) -> bool:
    """Whether the value is a JSON number; Python's booleans are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_keyword(keyword: str, value: JsonValue, path: str) -> None:
    if keyword not in _KEYWORDS:
        raise ToolError(f"{path}: this keyword is not supported in tool definitions.")
    if keyword in _SUBSCHEMAS and not isinstance(value, bool):
        check_schema(value, path)
    elif not _well_formed(keyword, value):
        raise ToolError(f"{path} has a value that JSON Schema does not allow there.")
    if keyword == "properties" and isinstance(value, dict):
        for name, part in value.items():
            check_schema(part, f"{path}.{name}")
    if keyword == "oneOf" and isinstance(value, list):
        for index, part in enumerate(value):
            check_schema(part, f"{path}[{index}]")


def _well_formed(keyword: str, value: JsonValue) -> bool:
    match keyword:
        case "type":
            return isinstance(value, str) and value in TYPES
        case "properties":
            return isinstance(value, dict)
        case "required":
            return isinstance(value, list) and all(isinstance(name, str) for name in value)
        case "enum" | "oneOf":
            return isinstance(value, list) and bool(value)
        case "description":
            return isinstance(value, str)
        case "pattern":
            return isinstance(value, str) and _compiles(value)
        case "items":
            return False
        case "additionalProperties" | "const":
            return True
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            return type(value) is int and value >= 0
        case _:
            return is_number(value)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
