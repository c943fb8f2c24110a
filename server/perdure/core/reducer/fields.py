"""Readers of single values: each returns the value with its type or refuses the fact.

They take what ``dict.get`` returns, so that a missing key fails like a wrong value; JSON null is
never a right value here. Integers are written without fraction or exponent, so ``bool`` and
``float`` are none.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from operator import itemgetter
from typing import TypeVar

from perdure.core.ids import is_digest, uuid7_match
from perdure.core.reducer.outcome import Refusal
from perdure.core.scalars import MAX_INTEGER
from perdure.json_types import JsonObject, JsonValue

T = TypeVar("T")


class Form:
    """A closed object that mostly has all of its keys; read together, they cost less.

    The keys are given in the order in which ``of`` returns their values: mostly that in which the
    wire type declares them.
    """

    def __init__(self, *keys: str) -> None:
        self._keys = keys
        self._closed = frozenset(keys)
        self._size = len(keys)
        self._all_of: Callable[[JsonObject], tuple[JsonValue, ...]] = itemgetter(*keys)

    def of(self, value: JsonValue) -> tuple[JsonValue, ...]:
        """Return the values of all keys, None where there is none; refuse any other key."""
        if isinstance(value, dict) and len(value) == self._size:
            try:
                return self._all_of(value)
            except KeyError:
                pass
        return tuple(map(closed(value, self._closed).get, self._keys))


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


def of_size(value: JsonValue, size: int) -> JsonObject:
    """Return an object of so many members.

    Where so many keys are then found in it, all of them required, it has no others.
    """
    if not isinstance(value, dict) or len(value) != size:
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


def found(value: JsonValue, index: Mapping[str, T]) -> T:
    """Return what ``index`` has under an id; refuse what ``reference`` refuses."""
    if isinstance(value, str):
        item = index.get(value)
        if item is not None:
            return item
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
