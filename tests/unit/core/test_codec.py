"""Section 3: strict JSON, and the two ways of reading it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

import pytest

from perdure.core.codec import (
    MAX_READ_DEPTH,
    MAX_WRITE_BYTES,
    MAX_WRITE_DEPTH,
    MalformedJson,
    NotEncodable,
    encode_and_read,
    encode_line,
    nesting,
    parse_line,
    parse_strict,
)
from perdure.json_types import JsonValue

MALFORMED: dict[str, bytes] = {
    "nothing": b"",
    "something after the value": b"1 2",
    "two values": b"{}{}",
    "comma at the end": b"[1,]",
    "single quotes": b"{'a':1}",
    "comment": b"1 // one",
    "NaN": b"NaN",
    "Infinity": b"[Infinity]",
    "minus Infinity": b"-Infinity",
    "leading plus": b"+1",
    "leading zero": b"01",
    "leading zero after minus": b"-01",
    "no digits before the point": b".5",
    "no digits after the point": b"5.",
    "no digits in the exponent": b"1e",
    "hexadecimal": b"0x1",
    "capital literal": b"True",
    "duplicate key": b'{"a":1,"a":1}',
    "duplicate key, escaped": b'{"model":1,"\\u006dodel":2}',
    "duplicate key, deep": b'[{"x":[{"a":1,"b":2,"a":3}]}]',
    "lone high surrogate": b'"\\ud800"',
    "lone low surrogate": b'"\\udc00"',
    "high surrogate and a letter": b'"\\ud83d\\u0041"',
    "surrogates the wrong way round": b'"\\ude00\\ud83d"',
    "lone surrogate in a key": b'{"\\ud800":1}',
    "lone surrogate in an array": b'[["\\udfff"]]',
    "raw surrogate": b'"\xed\xa0\x80"',
    "not UTF-8": b'"\xff"',
    "byte order mark": b"\xef\xbb\xbf1",
    "control byte in a string": b'"a\x01b"',
    "TAB in a string": b'"a\tb"',
    "escape of an apostrophe": b'"\\\'"',
    "escape of x": b'"\\x41"',
    "short unicode escape": b'"\\u12"',
    "unicode escape with sign": b'"\\u+123"',
    "string without end": b'"abc',
    "string that ends in a backslash": b'"abc\\',
    "form feed as white space": b"\f1",
    "no-break space as white space": b"\xc2\xa01",
    "too deep": b"[" * 201 + b"]" * 201,
    "far too deep": b"[" * 100_000 + b"]" * 100_000,
    "deep and never closed": b'{"a":' * 100_000,
    "too deep in the slow way": b" " + b'{"a":' * 201 + b"1" + b"}" * 201,
}

WELL_FORMED: dict[bytes, JsonValue] = {
    b" \t\r[1 , 2] ": [1, 2],
    b'"\\ud83d\\ude00"': "\U0001f600",
    b'"\\u0000\x7f\\/"': "\0\x7f/",
    b'"\\"\\\\\\b\\f\\n\\r\\t"': '"\\\b\f\n\r\t',
    '"\u2028\u0085\ufeff"'.encode(): "\u2028\u0085\ufeff",
    b"-0": 0,
    b"-0.0": -0.0,
    b"1E+2": 100.0,
    b"1e400": math.inf,
    b"9007199254740993": 2**53 + 1,
    b"123456789012345678901234567890": 123456789012345678901234567890,
    b"1" * 5000: math.inf,
    b'{"":null,"a":true,"b":false}': {"": None, "a": True, "b": False},
}


@pytest.mark.parametrize("line", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed(line: bytes) -> None:
    for parse in (parse_line, parse_strict):
        with pytest.raises(MalformedJson):
            parse(line)


@pytest.mark.parametrize(("line", "value"), WELL_FORMED.items(), ids=lambda it: repr(it)[:30])
def test_well_formed(line: bytes, value: JsonValue) -> None:
    for parse in (parse_line, parse_strict):
        parsed = parse(line)
        assert parsed == value
        assert type(parsed) is type(value)


@pytest.mark.parametrize("line", [b"1.0", b"1e0", b"-0.0", b"10E-1"], ids=repr)
def test_a_fraction_or_exponent_makes_no_integer(line: bytes) -> None:
    for parse in (parse_line, parse_strict):
        assert isinstance(parse(line), float)


def test_nesting_at_the_limit_is_read() -> None:
    line = b"[" * MAX_READ_DEPTH + b"]" * MAX_READ_DEPTH
    assert parse_line(line) == parse_strict(line)


def test_brackets_in_strings_are_no_nesting() -> None:
    text = '[{"' * 300
    assert parse_line(encode_line([text])[:-1]) == [text]
    assert parse_strict(encode_line([text])[:-1]) == [text]


@pytest.mark.parametrize(
    ("value", "depth"),
    [(1, 0), ("[[", 0), ([], 1), ([{}], 2), ({"a": [[]], "b": 1}, 3)],
    ids=repr,
)
def test_nesting(value: JsonValue, depth: int) -> None:
    assert nesting(value) == depth


def _nested(depth: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(depth):
        value = [value]
    return value


@dataclass
class _Place:
    line: int


UNENCODABLE: dict[str, object] = {
    "lone surrogate": {"a": "\ud800"},
    "lone surrogate in a key": {"\udc00": 1},
    "infinity": [math.inf],
    "not a number": {"a": math.nan},
    "65 bits": 2**64,
    "too deep": _nested(MAX_WRITE_DEPTH + 1),
    "too long": "x" * MAX_WRITE_BYTES,
    "no JSON": object(),
    "read as a list": ((1,), 2),
    "infinity where a list would be read": {"a": (math.inf,)},
    "read as text": {"a": UUID(int=1)},
    "read as an object": _Place(1),
}


@pytest.mark.parametrize("value", UNENCODABLE.values(), ids=UNENCODABLE.keys())
@pytest.mark.hazard("lone surrogates: the session never becomes unsendable")
def test_what_the_writer_refuses(value: object) -> None:
    with pytest.raises(NotEncodable):
        encode_line(value)


@pytest.mark.parametrize(
    "value",
    [_nested(MAX_WRITE_DEPTH), "x" * (MAX_WRITE_BYTES - 3), {"ä\n\u2028": [None, True, 1.5]}],
    ids=["deepest", "longest", "text"],
)
def test_what_is_written_is_one_line_and_read_again(value: JsonValue) -> None:
    line = encode_line(value)
    assert line.count(b"\n") == 1
    assert parse_line(line[:-1]) == value


NUMBERS: list[JsonValue] = [
    *(0, -(2**63), 2**53 + 1, 2**64 - 1, True),
    *(-0.0, 1.0, 1e16, 1e22, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2.2250738585072011e-308),
]


@pytest.mark.parametrize(
    "value", [*NUMBERS, None, "", "\0\x7f\ud7ff\U0010ffff", {"": [{}]}], ids=repr
)
def test_what_is_written_needs_no_proof(value: JsonValue) -> None:
    line, read = encode_and_read(value)
    for proven in (parse_line(line[:-1]), parse_strict(line[:-1])):
        assert repr(read) == repr(proven) == repr(value)
