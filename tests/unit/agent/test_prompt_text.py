"""What a prompt may be."""

from __future__ import annotations

import pytest

from perdure.agent.prompt_text import MAX_BYTES, well_formed
from perdure.core.codec import encode_line
from perdure.errors import CommandError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("go", "go"), ("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "\N{GRINNING FACE}")],
)
def test_lone_surrogates_are_replaced(text: str, expected: str) -> None:
    assert well_formed(text) == expected


@pytest.mark.parametrize("text", ["", " \n", "x" * (MAX_BYTES + 1), "é" * (MAX_BYTES // 2 + 1)])
def test_nothing_and_too_much_are_refused(text: str) -> None:
    with pytest.raises(CommandError) as refused:
        well_formed(text)
    assert refused.value.code == "invalid_params"


def test_the_longest_prompt_fits_into_a_line_of_the_log() -> None:
    assert encode_line(well_formed("x" + "\x01" * (MAX_BYTES - 1)))
