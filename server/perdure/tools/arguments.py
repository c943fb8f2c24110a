"""The arguments of a call against the schema of its tool; see ``schema``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from perdure.json_types import JsonObject, JsonValue
from perdure.tools.schema import TYPES, is_number

_NUMBER_BOUNDS: dict[str, tuple[Callable[[float, float], bool], str]] = {
    "minimum": (lambda value, bound: value >= bound, "must be at least"),
    "maximum": (lambda value, bound: value <= bound, "must be at most"),
    "exclusiveMinimum": (lambda value, bound: value > bound, "must be greater than"),
    "exclusiveMaximum": (lambda value, bound: value < bound, "must be less than"),
}


def violation(schema: JsonObject, arguments: JsonObject) -> str | None:
    """Return None, or one sentence that names the path of the first thing wrong.

    ``schema`` is one that ``check_schema`` let through.
    """
    return next(_problems(schema, arguments, ""), None)


def whole_number(arguments: JsonObject, name: str, *, default: int) -> int:
    """Return an argument that the schema calls an integer; JSON may write it as ``2.0``."""
    value = arguments.get(name, default)
    return int(value) if isinstance(value, int | float) else default


def _problems(schema: JsonObject, value: JsonValue, path: str) -> Iterator[str]:
    name = path or "arguments"
    kind = schema.get("type")
    if isinstance(kind, str) and not _has_type(value, kind):
        yield f"{name} must be {_with_article(kind)}."
        return
    if "const" in schema and not _equal(value, schema["const"]):
        yield f"{name} is not the one value that is allowed."
    choices = schema.get("enum")
    if isinstance(choices, list) and not any(_equal(value, choice) for choice in choices):
        yield f"{name} must be one of {', '.join(str(choice) for choice in choices)}."
    yield from _branch_problems(schema, value, path)
    if isinstance(value, dict):
        yield from _object_problems(schema, value, path)
    elif isinstance(value, list):
        yield from _array_problems(schema, value, path)
    elif isinstance(value, str):
        yield from _string_problems(schema, value, name)
    elif is_number(value):
        yield from _number_problems(schema, value, name)


def _branch_problems(schema: JsonObject, value: JsonValue, path: str) -> Iterator[str]:
    branches = schema.get("oneOf")
    if not isinstance(branches, list):
        return
    fitting = [
        branch
        for branch in branches
        if isinstance(branch, dict) and next(_problems(branch, value, path), None) is None
    ]
    if len(fitting) != 1:
        yield f"{path or 'arguments'} must fit exactly one of {len(branches)} forms."


def _object_problems(schema: JsonObject, value: dict[str, JsonValue], path: str) -> Iterator[str]:
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{_below(path, str(name))} is required."
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    other = schema.get("additionalProperties", True)
    for name, part in value.items():
        place = _below(path, name)
        part_schema = known.get(name, other)
        if part_schema is False:
            yield f"{place} is not an argument of this tool."
        elif isinstance(part_schema, dict):
            yield from _problems(part_schema, part, place)


def _array_problems(schema: JsonObject, value: list[JsonValue], path: str) -> Iterator[str]:
    yield from _length_problems(schema, len(value), path or "arguments", "Items", "item(s)")
    items = schema.get("items")
    if isinstance(items, dict):
        for index, part in enumerate(value):
            yield from _problems(items, part, f"{path}[{index}]")


def _string_problems(schema: JsonObject, value: str, name: str) -> Iterator[str]:
    yield from _length_problems(schema, len(value), name, "Length", "character(s)")
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and re.search(pattern, value) is None:
        yield f"{name} must match {pattern}."


def _length_problems(
    schema: JsonObject, length: int, name: str, suffix: str, unit: str
) -> Iterator[str]:
    least = schema.get(f"min{suffix}")
    most = schema.get(f"max{suffix}")
    if isinstance(least, int) and length < least:
        few = "must not be empty" if least == 1 else f"must have at least {least} {unit}."
        yield f"{name} {few}"
    if isinstance(most, int) and length > most:
        yield f"{name} must have at most {most} {unit}."


def _number_problems(schema: JsonObject, value: JsonValue, name: str) -> Iterator[str]:
    for keyword, (holds, words) in _NUMBER_BOUNDS.items():
        bound = schema.get(keyword)
        if (
            isinstance(bound, int | float)
            and isinstance(value, int | float)
            and not holds(value, bound)
        ):
            yield f"{name} {words} {bound}."


def _has_type(value: JsonValue, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES[kind])


def _equal(left: JsonValue, right: JsonValue) -> bool:
    """JSON equality: unlike Python's, ``true`` is not 1."""
    return isinstance(left, bool) == isinstance(right, bool) and left == right


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _with_article(kind: str) -> str:
    if kind == "null":
        return kind
    return f"an {kind}" if kind[0] in "aio" else f"a {kind}"
