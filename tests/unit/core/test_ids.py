"""The forms of ids and digests: what the reducer checks is what the JSON Schema says."""

from __future__ import annotations

import re

import pytest
from pydantic import TypeAdapter
from tests.support.wire import ZERO_DIGEST, uid

from perdure.core.ids import is_digest, is_uuid7, milliseconds_of
from perdure.core.scalars import Digest, Id

ID = uid("entry", 1)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ID, True),
        (ID.upper(), False),
        (ID.replace("-7", "-4", 1), False),
        (ID.replace("-8", "-c", 1), False),
        (ID + "0", False),
        ("0" + ID, False),
        (ID.replace("-", ""), False),
        ("", False),
    ],
)
def test_a_uuid7(value: str, expected: bool) -> None:
    pattern = TypeAdapter[str](Id).json_schema()["pattern"]
    assert is_uuid7(value) == expected == (re.search(pattern, value) is not None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ZERO_DIGEST, True),
        (ZERO_DIGEST.upper(), False),
        (ZERO_DIGEST[:-1], False),
        (ZERO_DIGEST + "0", False),
        (ZERO_DIGEST.removeprefix("sha256:"), False),
    ],
)
def test_a_digest(value: str, expected: bool) -> None:
    pattern = TypeAdapter[str](Digest).json_schema()["pattern"]
    assert is_digest(value) == expected == (re.search(pattern, value) is not None)


@pytest.mark.parametrize("value", [None, 7, [ID]])
def test_what_is_no_text_is_neither(value: object) -> None:
    assert not is_uuid7(value)
    assert not is_digest(value)


def test_the_time_in_an_id() -> None:
    assert milliseconds_of("018bcfe5-687b-7fff-bfff-ffffffffffff") == 1_700_000_000_123
