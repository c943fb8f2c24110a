"""Readers of single values: each returns the value with its type or refuses the fact.

They take what ``dict.get`` returns, so that a missing key fails like a wrong value; JSON null is
never a right value here. Integers are written without fraction or exponent, so ``bool`` and
``float`` are none.
"""

from __future__ import annotations

from collections.abc import Container

from perdure.core.facts import MAX_INTEGER
from perdure.core.ids import is_digest, uuid7_match
from perdure.core.reducer.outcome import Refusal
from perdure.json_types import JsonObject, JsonValue


def json_object(value: JsonValue) -> JsonObject:
    """Return an object."""
    if not isinstance(value, dict):
        raise Refusal("INVALID_FACT")
    return value


def closed(value: JsonValue, keys: frozenset[str]) -> JsonObject:
    """Return an object that has no other keys than these."""
    if not isinstance(value, dict) or not value.keys() <= keys:
        raise Refusal("INVALID_FACT")
    return value


def array(value: JsonValue) -> list[JsonValue]:
    """Return an array."""
    if not isinstance(value, list):
        raise Refusal("INVALID_FACT")
    return value


def string(value: JsonValue) -> str:
    """Return a string, which may be empty."""
    if not isinstance(value, str):
        raise Refusal("INVALID_FACT")
    return value


def text(value: JsonValue) -> str:
    """Return a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise Refusal("INVALID_FACT")
    return value


def identifier(value: JsonValue, known: Container[str] = ()) -> str:
    """Return a UUIDv7; one that is ``known`` need not be looked at again."""
    if isinstance(value, str) and (value in known or uuid7_match(value) is not None):
        return value
    raise Refusal("INVALID_FACT")


def reference(value: JsonValue, index: Container[str]) -> str:
    """Return an id that ``index`` has; a form that is wrong comes before an id that is unknown."""
    if isinstance(value, str) and value in index:
        return value
    identifier(value)
    raise Refusal("INVALID_REFERENCE")


def digest_text(value: JsonValue) -> str:
    """Return a digest."""
    if not is_digest(value):
        raise Refusal("INVALID_FACT")
    return value


def integer(value: JsonValue, *, minimum: int = 0) -> int:
    """Return an integer from ``minimum`` to 2^53-1."""
    if type(value) is not int or not minimum <= value <= MAX_INTEGER:
        raise Refusal("INVALID_FACT")
    return value


def one_of(value: JsonValue, options: tuple[str, ...]) -> str:
    """Return one of these strings."""
    if not isinstance(value, str) or value not in options:
        raise Refusal("INVALID_FACT")
    return value


def check_error(value: JsonValue) -> None:
    """Refuse anything but a closed ``{code, message}`` with both texts."""
    error = closed(value, _ERROR_KEYS)
    text(error.get("code"))
    text(error.get("message"))


_ERROR_KEYS = frozenset({"code", "message"})
