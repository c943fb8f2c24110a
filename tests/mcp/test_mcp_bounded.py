"""How many values a message of a server may have, and that no more than these are looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perdure.json_types import JsonValue
from perdure.mcp.bounded import MAX_VALUES, has_too_many


class Unread(list[JsonValue]):
    """A list that nobody may walk through."""

    def __iter__(self) -> Iterator[JsonValue]:
        raise AssertionError("this list is too long to be looked at")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"content": [{}] * (MAX_VALUES - 1)}, False),
        ({"content": Unread([{}] * MAX_VALUES)}, True),
        ({"content": [{"annotations": {"audience": Unread(["user"] * MAX_VALUES)}}]}, True),
        ({"content": [{"type": "text", "text": "x"}] * (MAX_VALUES // 2)}, True),
        ({"structuredContent": {"rows": Unread([1] * MAX_VALUES)}}, False),
        ({"tools": [{"inputSchema": {"enum": Unread([1] * MAX_VALUES)}}]}, False),
        (None, False),
    ],
)
def test_values_are_counted_until_there_are_too_many(result: JsonValue, expected: bool) -> None:
    assert has_too_many(result) is expected
