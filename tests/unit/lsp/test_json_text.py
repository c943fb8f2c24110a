"""JSON of the wire."""

from __future__ import annotations

import json

import pytest

from perdure.json_types import JsonValue
from perdure.lsp.json_text import decode, encode


@pytest.mark.parametrize(
    "value", [None, True, 1.5, "€ 🙂 \u2028 \x00", [1, {"a": []}], 2**70, {"jsonrpc": "2.0"}]
)
def test_json_data_comes_back(value: JsonValue) -> None:
    assert decode(encode(value)) == value
    assert decode(json.dumps(value).encode()) == value


@pytest.mark.hazard("Lone surrogates: stored and sent as U+FFFD")
@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (rb'"a\ud83d b"', "a\ufffd b"),
        (rb'"\ude42"', "\ufffd"),
        (rb'{"\ud83d": "\ud83d\ude42"}', {"\ufffd": "🙂"}),
    ],
)
def test_a_lone_surrogate_becomes_the_replacement_character(
    escaped: bytes, text: JsonValue
) -> None:
    assert decode(escaped) == text
    assert decode(encode(json.loads(escaped))) == text


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b'"\xff"', b"[" * 100_000, b"{} {}"])
def test_what_is_not_json(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        decode(body)
