"""Section 10: canonical JSON and digests."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.wire import sha256, snapshot

from perdure.core.canonical import canonical_json, canonical_text, digest
from perdure.core.codec import NotEncodable
from perdure.json_types import JsonObject, JsonValue

ZERO = "sha256:" + "0" * 64
FIXTURE_SNAPSHOT: JsonObject = {
    "routingIdentity": "openrouter:test/model",
    "model": "test/model",
    "systemPromptDigest": ZERO,
    "tools": [{"name": "read", "definitionDigest": ZERO}],
    "adapterIdentity": "openrouter:chat-completions:v1",
    "outputOptionsDigest": ZERO,
}
VECTORS: list[tuple[JsonValue, str]] = [
    ({}, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    ([], "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"),
    ("", "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126"),
    ("system", "0dc8cd0a92280156c12ba5073f5049586727ba0bef2ff72099577bd332db18f5"),
    (FIXTURE_SNAPSHOT, "83d5da8892d877c5f94a6ff60ea8babcd1138107dcb80ed8f747372346bb5f75"),
]


@pytest.mark.parametrize(("value", "expected"), VECTORS, ids=lambda it: str(it)[:12])
def test_digest_vectors(value: JsonValue, expected: str) -> None:
    assert digest(value) == f"sha256:{expected}"


FORMS: list[tuple[JsonValue, str]] = [
    (None, "null"),
    (True, "true"),
    ({"b": 1, "a": [False]}, '{"a":[false],"b":1}'),
    ('\b\t\n\f\r\x00\x1f"\\/\x7f\u2028é', '"\\b\\t\\n\\f\\r\\u0000\\u001f\\"\\\\/\x7f\u2028é"'),
    # U+FFFF sorts after a supplementary character by UTF-16 units, before it by code points.
    ({"\uffff": 1, "\U0001f600": 2, "a": 3}, '{"a":3,"\U0001f600":2,"\uffff":1}'),
    (0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-1.5, "-1.5"),
    (2**53 - 1, "9007199254740991"),
    (2**53 + 1, "9007199254740992"),
    (2**64, "18446744073709552000"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (123456789012345678901.0, "123456789012345680000"),
    (1.2345e25, "1.2345e+25"),
    (0.000001, "0.000001"),
    (0.0000001, "1e-7"),
    (1.5e-9, "1.5e-9"),
    (0.1, "0.1"),
    (100.25, "100.25"),
    (5e-324, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (333333333.3333333, "333333333.3333333"),
]


@pytest.mark.parametrize(("value", "text"), FORMS, ids=lambda it: repr(it)[:24])
def test_canonical_form(value: JsonValue, text: str) -> None:
    assert canonical_json(value).decode() == text


REFUSED: dict[str, object] = {
    "lone surrogate": "\ud800",
    "lone surrogate in a key": {"\udc00": 1},
    "lone surrogate beside a float": ["\ud800", 1.5],
    "infinity": math.inf,
    "not a number": [math.nan],
    "beyond doubles": 10**400,
    "bytes": b"x",
    "tuple": (1,),
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_canonical_form(value: object) -> None:
    with pytest.raises(NotEncodable):
        canonical_json(value)


def test_nesting_beyond_any_reader_is_refused() -> None:
    value: JsonValue = 1.5
    for _ in range(100_000):
        value = [value]
    with pytest.raises(NotEncodable):
        canonical_json(value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150)
@given(JSON)
def test_both_ways_give_the_same_bytes(value: JsonValue) -> None:
    try:
        fast = canonical_json(value)
    except NotEncodable:
        return
    assert fast == canonical_text(value).encode()


@settings(max_examples=150)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_value(value: float) -> None:
    assert float(canonical_json(value)) == value


CHANGES: list[JsonObject] = [
    {"model": "other/model"},
    {"systemPromptDigest": "sha256:" + "1" * 64},
    {"tools": []},
    {"tools": [{"name": "read", "definitionDigest": "sha256:" + "1" * 64}]},
    {"adapterIdentity": "other"},
    {"routingIdentity": "other"},
    {"outputOptionsDigest": "sha256:" + "1" * 64},
]


@pytest.mark.requirement(40)
@pytest.mark.parametrize("change", CHANGES, ids=lambda it: next(iter(it)))
def test_any_change_of_the_configuration_changes_its_digest(change: JsonObject) -> None:
    assert digest(FIXTURE_SNAPSHOT | change) != digest(FIXTURE_SNAPSHOT)


@pytest.mark.requirement(41)
def test_the_order_of_the_tools_counts_and_that_of_the_keys_does_not() -> None:
    there, back = snapshot("read", "bash"), snapshot("bash", "read")
    assert digest(there) != digest(back)
    assert digest(dict(reversed(there.items()))) == digest(there) == sha256(there)
