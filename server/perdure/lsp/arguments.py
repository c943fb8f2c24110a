"""Arguments of commands, checked against the types of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeVar, cast, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from perdure.errors import CommandError
from perdure.json_types import JsonObject, JsonValue

Shape = TypeVar("Shape")

_WORDS: Mapping[object, str] = {
    str: "a string",
    bool: "true or false",
    float: "a number",
    int: "a whole number",
}


def parse(shape: type[Shape], arguments: Sequence[JsonValue]) -> Shape:
    """Return the one optional argument of a command as the TypedDict ``shape``.

    Keys that ``shape`` does not know are ignored, and null means that a key is absent.

    Raises:
        CommandError: ``invalid_params``; the message names the path.
    """
    if len(arguments) > 1:
        raise CommandError(f"arguments: at most one is expected, {len(arguments)} were given.")
    values = arguments[0] if arguments else None
    return check(shape, {} if values is None else values, path="arguments[0]")


def check(shape: type[Shape], values: JsonValue, *, path: str) -> Shape:
    """Return ``values`` as the TypedDict ``shape``; raises like ``parse``."""
    return cast(Shape, _object(shape, values, path))


def _object(shape: type, values: JsonValue, path: str) -> JsonObject:
    if not isinstance(values, dict):
        raise CommandError(f"{path} should be an object.")
    checked: JsonObject = {}
    for key, (expected, required) in _fields(shape).items():
        value = values.get(key)
        if value is not None:
            checked[key] = _checked(value, expected, f"{path}.{key}")
        elif required:
            raise CommandError(f"{path}.{key} is missing.")
    return checked


def _checked(value: JsonValue, expected: Any, path: str) -> JsonValue:  # noqa: ANN401
    if is_typeddict(expected):
        return _object(expected, value, path)
    if get_origin(expected) is list and isinstance(value, list):
        (inner,) = get_args(expected)
        return [_checked(item, inner, f"{path}[{index}]") for index, item in enumerate(value)]
    if not _fits(value, expected):
        raise CommandError(f"{path} should be {_words(expected)}.")
    return value


def _fields(shape: type) -> dict[str, tuple[Any, bool]]:
    fields: dict[str, tuple[Any, bool]] = {}
    for key, annotation in get_type_hints(shape, include_extras=True).items():
        origin: object = get_origin(annotation)
        optional = origin is NotRequired
        fields[key] = (get_args(annotation)[0] if optional else annotation, not optional)
    return fields


def _fits(value: JsonValue, expected: Any) -> bool:  # noqa: ANN401
    if get_origin(expected) is Literal:
        return value in get_args(expected)
    if get_origin(expected) is list:
        return False
    if expected is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is expected


def _words(expected: Any) -> str:  # noqa: ANN401
    if get_origin(expected) is Literal:
        return "one of " + ", ".join(get_args(expected))
    return "a list" if get_origin(expected) is list else _WORDS[expected]
