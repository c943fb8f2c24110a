"""The schemas of MCP tools, brought into the subset that Perdure enforces (section 21).

Nothing of what a schema demands is given up: annotations that demand nothing are left out,
references are put in place, and ``anyOf`` and lists of types become ``oneOf`` where exactly one
branch can fit. A schema that demands anything else is refused by ``tools.schema.check_schema``.
"""

from __future__ import annotations

import json

from perdure.json_types import JsonObject, JsonValue
from perdure.mcp.errors import McpError

MAX_BYTES = 50 * 1024
MAX_DEPTH = 20
MAX_PARTS = 5_000

_ANNOTATIONS = frozenset(
    (
        *("$schema", "$id", "$comment", "$defs", "definitions", "title", "default", "examples"),
        *("deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType"),
    )
)
_SCHEMAS = ("items", "additionalProperties")
_REFERENCE = "#/"


def in_subset(schema: JsonObject) -> JsonObject:
    """Return an equivalent schema without what the subset lacks, as far as that is possible.

    Raises ``McpError`` for one that is larger than 50 KB, deeper than 20, or refers to itself.
    """
    _check_size(schema)
    translated = _Translation(schema).of(schema, 0)
    _check_size(translated)
    return translated


def _check_size(schema: JsonObject) -> None:
    try:
        size = len(json.dumps(schema, ensure_ascii=False).encode())
    except RecursionError:
        raise McpError("has a schema that is nested too deeply") from None
    if size > MAX_BYTES:
        raise McpError("has a schema of more than 50 KB")


class _Translation:
    """The translation of one schema; references can make it larger than it looks."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._parts = 0

    def of(self, schema: JsonObject, depth: int) -> JsonObject:
        self._parts += 1
        if depth > MAX_DEPTH or self._parts > MAX_PARTS:
            raise McpError("has a schema that is nested more than 20 deep or refers to itself")
        schema = _with_one_of(_resolved(schema, self._root))
        result: JsonObject = {}
        for keyword, value in schema.items():
            if keyword in _ANNOTATIONS:
                continue
            if keyword in _SCHEMAS:
                result[keyword] = self._part(value, depth)
            elif keyword == "properties" and isinstance(value, dict):
                result[keyword] = {name: self._part(part, depth) for name, part in value.items()}
            elif keyword == "oneOf" and isinstance(value, list):
                result[keyword] = [self._part(part, depth) for part in value]
            else:
                result[keyword] = value
        return result

    def _part(self, part: JsonValue, depth: int) -> JsonValue:
        return self.of(part, depth + 1) if isinstance(part, dict) else part


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Return the schema with a reference into the same document replaced by its target."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_REFERENCE):
        return schema
    target: JsonValue = root
    for name in reference.removeprefix(_REFERENCE).split("/"):
        target = target.get(name) if isinstance(target, dict) else None
    if not isinstance(target, dict) or "$ref" in target:
        return schema
    beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
    return {**target, **beside}


def _with_one_of(schema: JsonObject) -> JsonObject:
    """Return the schema with ``oneOf`` in the place of what says the same in other words."""
    match schema:
        case {"oneOf": _}:
            return schema
        case {"anyOf": list(parts)} if _exclusive(parts):
            return {"oneOf" if key == "anyOf" else key: value for key, value in schema.items()}
        case {"type": list(names)}:
            types: list[JsonValue] = [{"type": name} for name in names]
            rest = {key: value for key, value in schema.items() if key != "type"}
            return {"oneOf": types, **rest} if _exclusive(types) else schema
        case _:
            return schema


def _exclusive(parts: list[JsonValue]) -> bool:
    """Whether no value fits two of the parts, because each has one type and no two meet."""
    types = [part.get("type") if isinstance(part, dict) else None for part in parts]
    names = [name for name in types if isinstance(name, str)]
    meet = "integer" in names and "number" in names
    return len(names) == len(parts) == len(set(names)) and not meet
