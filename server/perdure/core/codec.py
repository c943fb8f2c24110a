"""One line of a session file: strict JSON in, compact UTF-8 out (session-format section 3).

Reading takes one of two ways with the same result. A line that ``orjson`` writes back byte for
byte cannot hold a duplicate key, a lone surrogate or an inexact integer, so it needs no second
look; our own writer produces only such lines. Every other line goes to the standard library's
parser, which is told to be strict.
"""

from __future__ import annotations

import json
import re
from typing import cast

import orjson

from perdure.errors import PerdureError
from perdure.json_types import JsonObject, JsonValue

MAX_READ_DEPTH = 200
"""Deeper nesting is malformed (section 3)."""

MAX_WRITE_DEPTH = 64
MAX_WRITE_BYTES = 16 * 1024 * 1024
"""Limits of our own writer; other programs' lines may exceed them."""

_LONGEST_INTEGER = 400  # digits; a longer one is beyond every double and read as infinity

# A string, closed or not, or one bracket. The closing quote is optional to stay linear.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


class MalformedJson(PerdureError):
    """The bytes are not strict JSON."""

    code = "MALFORMED_JSON"


class NotEncodable(PerdureError):
    """The value has no JSON form that every reader accepts, or it exceeds the writer's limits."""

    code = "not_encodable"


def parse_line(line: bytes) -> JsonValue:
    """Return the value of one line, given without its LF.

    Raises MalformedJson and nothing else, whatever the bytes are.
    """
    try:
        value: JsonValue = orjson.loads(line)
        proven = orjson.dumps(value) == line
    except (ValueError, TypeError):
        proven = False
    if not proven:
        return parse_strict(line)
    if line.count(b"[") + line.count(b"{") > MAX_READ_DEPTH and nesting(value) > MAX_READ_DEPTH:
        raise MalformedJson("The JSON is nested too deeply.")
    return value


def parse_strict(line: bytes) -> JsonValue:
    """Do what ``parse_line`` does without the fast way."""
    try:
        text = line.decode()
        _check_depth(text)
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_integer,
            parse_constant=_refuse_constant,
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except ValueError as error:
        raise MalformedJson(f"The line is not strict JSON: {error}.") from error
    return cast(JsonValue, value)


def encode_line(value: object) -> bytes:
    """Return the line of a JSON value: compact UTF-8 and the LF.

    Raises NotEncodable for a lone surrogate, a number that is not finite or an integer beyond
    64 bits, for nesting deeper than 64 and for a line longer than 16 MiB.
    """
    line, _ = encode_and_read(value)
    return line


def encode_and_read(value: object) -> tuple[bytes, JsonValue]:
    """Return the line of a JSON value, and what ``parse_line`` makes of it; raises as above.

    What ``orjson`` has written itself needs no other proof than that it is read as the same
    value. Keys that stand twice, a null in place of infinity and text in place of an object
    would make another one; a lone surrogate is never written; integers have 64 bits at most and
    floats their shortest form, so both are read exactly.
    """
    try:
        line = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise NotEncodable(f"The value has no JSON form: {error}.") from error
    if len(line) > MAX_WRITE_BYTES:
        raise NotEncodable(f"The line is longer than {MAX_WRITE_BYTES} bytes.")
    read: JsonValue = orjson.loads(line)
    if nesting(read) > MAX_WRITE_DEPTH:
        raise NotEncodable(f"The value is nested deeper than {MAX_WRITE_DEPTH} levels.")
    if read != value:
        raise NotEncodable("The value holds what JSON has no form for, infinity for instance.")
    return line, read


def nesting(value: JsonValue) -> int:
    """Return how many arrays and objects stand within each other, 0 for a scalar."""
    depth = 0
    level: list[JsonValue] = [value]
    while True:
        inner: list[JsonValue] = []
        containers = 0
        for item in level:
            if type(item) is dict:
                containers += 1
                inner.extend(item.values())
            elif type(item) is list:
                containers += 1
                inner.extend(item)
        if not containers:
            return depth
        depth += 1
        level = inner


def _check_depth(text: str) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token[0][0]
        if mark in "[{":
            depth += 1
            if depth > MAX_READ_DEPTH:
                raise MalformedJson("The JSON is nested too deeply.")
        elif mark in "]}":
            depth -= 1


def _unique(members: list[tuple[str, JsonValue]]) -> JsonObject:
    value = dict(members)
    if len(value) != len(members):
        raise MalformedJson("An object names a key twice.")
    return value


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _refuse_constant(name: str) -> JsonValue:
    raise MalformedJson(f"{name} is not a JSON number.")
