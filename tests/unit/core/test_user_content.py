"""The words of a user and their context go into one text, and come apart again."""

from __future__ import annotations

import pytest

from perdure.core.user_content import HEAD, divided, with_context


@pytest.mark.parametrize(
    ("text", "blocks", "context"),
    [
        ("words", [], ""),
        ("words", ["", ""], ""),
        ("words", ["a"], "a"),
        ("two\n\nparts", ["a", "", "b\n"], "a\n\nb\n"),
        ("", ["a"], "a"),
    ],
)
def test_both_come_back(text: str, blocks: list[str], context: str) -> None:
    content = with_context(text, blocks)
    assert divided(content) == (text, context)
    assert (HEAD in content) == (context != "")
