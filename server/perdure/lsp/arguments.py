"""Arguments of commands, checked against the types of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypeVar, cast, get_args, get_origin

from typing_extensions import get_type_hints

from perdure.errors import CommandError
from perdure.json_types import JsonValue

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
    """Return ``values`` as the flat TypedDict ``shape``; raises like ``parse``."""
    if not isinstance(values, dict):
        raise CommandError(f"{path} should be an object.")
    checked: dict[str, JsonValue] = {}
    for key, (expected, required) in _fields(shape).items():
        value = values.get(key)
        if value is None:
            if required:
                raise CommandError(f"{path}.{key} is missing.")
            continue
        if not _fits(value, expected):
            raise CommandError(f"{path}.{key} should be {_words(expected)}.")
        checked[key] = value
    return cast(Shape, checked)


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
    if expected is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return type(value) is expected


def _words(expected: Any) -> str:  # noqa: ANN401
    if get_origin(expected) is Literal:
        return "one of " + ", ".join(get_args(expected))
    return _WORDS[expected]
