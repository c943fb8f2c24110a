"""The sequences of a state are like the lists that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from perdure.core.messages import Message
from perdure.core.reducer.recalled import Recalled
from perdure.core.state import Prefix

LISTED: list[Message] = [{"role": "user", "content": text} for text in "abcd"]
SLICES = [slice(None), slice(1, 3), slice(-2, None), slice(None, None, -1), slice(3, 9)]


def _prefix() -> Sequence[Message]:
    return Prefix([*LISTED, {"role": "user", "content": "later"}], len(LISTED))


def _recalled() -> Recalled:
    """Return the list with its first two messages still in the log."""
    return Recalled([0, 1, *LISTED[2:]], LISTED.__getitem__)


MAKERS = [pytest.param(_prefix, id="prefix"), pytest.param(_recalled, id="recalled")]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("part", SLICES, ids=str)
def test_slices(make: Callable[[], Sequence[Message]], part: slice) -> None:
    assert make()[part] == LISTED[part]


@pytest.mark.parametrize("make", MAKERS)
def test_items_from_both_ends_and_none_behind_them(make: Callable[[], Sequence[Message]]) -> None:
    assert [make()[index] for index in (0, 3, -1, -4)] == [LISTED[i] for i in (0, 3, -1, -4)]
    for outside in (4, -5):
        with pytest.raises(IndexError):
            make()[outside]


@pytest.mark.parametrize("make", MAKERS)
def test_equal_are_sequences_of_equal_items(make: Callable[[], Sequence[Message]]) -> None:
    others: list[object] = [LISTED[:3], [*LISTED[:3], LISTED[0]], "abcd", 4]
    assert make() == LISTED
    assert make() == make()
    assert hash(make()) == hash(make())
    assert all(make() != other for other in others)


def test_a_longer_prefix_of_one_list_continues_a_shorter_one() -> None:
    items = [*LISTED]
    before = Prefix(items)
    items.append({"role": "user", "content": "later"})
    assert Prefix(items).continues(before)
    assert not before.continues(Prefix(items))
    assert not Prefix([*items]).continues(before)
    assert not before.continues(LISTED)
