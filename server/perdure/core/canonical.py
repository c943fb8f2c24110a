"""Canonical JSON and digests (session-format section 10, RFC 8785).

Keys are sorted by UTF-16 code units, numbers take their shortest ECMAScript form, strings are
escaped only where they must be. ``orjson`` writes exactly that for values whose keys are ASCII
and whose numbers are exact integers; the rest is written here.
"""

from __future__ import annotations

import hashlib
import json
import math

import orjson

from perdure.core.codec import NotEncodable
from perdure.core.scalars import MAX_INTEGER


def digest(value: object) -> str:
    """Return ``sha256:`` and the hash of the canonical JSON of ``value``; raises NotEncodable."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()


def canonical_json(value: object) -> bytes:
    """Return the canonical UTF-8 bytes of a JSON value.

    Raises NotEncodable for a lone surrogate, a number that is not finite, nesting that no
    reader would accept, and anything that is not JSON.
    """
    try:
        if _is_plain(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return canonical_text(value).encode()
    except (TypeError, UnicodeEncodeError, OverflowError, RecursionError) as error:
        raise NotEncodable(f"The value has no canonical JSON: {error}.") from error


def canonical_text(value: object) -> str:
    """Do what ``canonical_json`` does without the fast way; lone surrogates may stay."""
    match value:
        case dict():
            members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be"))
            inner = ",".join(f"{_string(key)}:{canonical_text(item)}" for key, item in members)
            return "{" + inner + "}"
        case list():
            return "[" + ",".join(map(canonical_text, value)) + "]"
        case str():
            return _string(value)
        case None | True | False:
            return json.dumps(value)
        case int() | float():
            return _number(float(value))
        case _:
            raise NotEncodable(f"{type(value).__name__} is not a JSON type.")


def _is_plain(value: object) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        match item:
            case str() | None | True | False:
                pass
            case dict():
                if not all(map(str.isascii, item)):
                    return False
                waiting.extend(item.values())
            case list():
                waiting.extend(item)
            case int():
                if abs(item) > MAX_INTEGER:
                    return False
            case _:
                return False
    return True


def _string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    """Return the shortest ECMAScript form (Number::toString)."""
    if not math.isfinite(value):
        raise NotEncodable("JSON has no number for infinity or not-a-number.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(power or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    return sign + _decimal(digits.rstrip("0"), point)


def _decimal(digits: str, point: int) -> str:
    """Write 0.``digits`` times ten to the power of ``point``."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
