"""Changes between two texts: they give the new text, and leave alone what is the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.agent.text_changes import MAX_COMPARED_LINES, Change, applied, changes

TEXTS = st.text(st.sampled_from("abc\n\r\0é\U0001f600"), max_size=20)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("same", "same", []),
        ("", "new", [Change(0, 0, "new")]),
        ("old", "", [Change(0, 3, "")]),
        ("a word\n", "a bird\n", [Change(2, 4, "bi")]),
        ("one\ntwo\nthree\n", "ONE\ntwo\nTHREE\n", [Change(0, 3, "ONE"), Change(8, 13, "THREE")]),
        ("a\nb\n", "a\nx\nb\n", [Change(2, 2, "x\n")]),
        ("a\r\nb\r\n", "a\rb\r\n", [Change(1, 3, "\r")]),
    ],
)
def test_as_small_as_can_be(old: str, new: str, expected: list[Change]) -> None:
    assert changes(old, new) == expected


@given(TEXTS, TEXTS)
def test_they_give_the_new_text(old: str, new: str) -> None:
    found = changes(old, new)
    assert applied(old, found) == new
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert (old == new) == (found == [])


@given(TEXTS, TEXTS)
def test_no_line_end_is_cut_in_two(old: str, new: str) -> None:
    for change in changes(old, new):
        for offset in (change.start, change.end):
            assert old[max(0, offset - 1) : offset + 1] != "\r\n"


def test_in_long_texts_one_change_is_enough() -> None:
    old = "".join(f"{number}\n" for number in range(MAX_COMPARED_LINES))
    new = old.replace("\n", "!\n")
    assert len(changes(f"head\n{old}", f"head\n{new}")) == 1
    assert applied(f"head\n{old}", changes(f"head\n{old}", f"head\n{new}")) == f"head\n{new}"
