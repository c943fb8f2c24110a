"""Lines, positions and changes, counted as LSP counts them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from lsprotocol.types import Position, Range

from perdure.lsp.document_text import Positions, changed

ENCODINGS = ["utf-8", "utf-16", "utf-32"]
TEXTS = st.text(st.sampled_from("ab\n\r\f\u2028\x85é\U0001f600"), max_size=12)


@pytest.mark.parametrize(
    ("text", "encoding", "line", "character", "offset"),
    [
        ("", "utf-16", 0, 0, 0),
        ("ab", "utf-16", 0, 1, 1),
        ("ab", "utf-16", 0, 9, 2),
        ("ab\ncd", "utf-16", 0, 9, 2),
        ("ab\ncd", "utf-16", 1, 1, 4),
        ("ab\ncd", "utf-16", 2, 0, 5),
        ("ab\n", "utf-16", 1, 0, 3),
        ("a\r\nb\rc", "utf-16", 1, 1, 4),
        ("a\r\nb\rc", "utf-16", 2, 0, 5),
        ("a\fb\u2028c\x85d\ne", "utf-16", 0, 6, 6),
        ("a\fb\u2028c\x85d\ne", "utf-16", 1, 0, 8),
        ("\U0001f600x", "utf-16", 0, 2, 1),
        ("\U0001f600x", "utf-16", 0, 3, 2),
        ("\U0001f600x", "utf-8", 0, 4, 1),
        ("\U0001f600x", "utf-32", 0, 1, 1),
        ("éx", "utf-8", 0, 2, 1),
    ],
)
def test_offsets(text: str, encoding: str, line: int, character: int, offset: int) -> None:
    assert Positions(text, encoding).offset(Position(line, character)) == offset


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_a_position_leads_back_to_its_offset(encoding: str, text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    positions = Positions(text, encoding)
    back = positions.offset(positions.position(offset))
    between = text[offset - 1 : offset + 1] == "\r\n"
    assert back == (offset - 1 if between else offset)


def _change(line: int, start: int, end: int, text: str) -> types.TextDocumentContentChangePartial:
    range_ = Range(Position(line, start), Position(line, end))
    return types.TextDocumentContentChangePartial(range=range_, text=text)


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("abc", [_change(0, 1, 2, "X")], "aXc"),
        ("abc", [_change(0, 1, 2, "X"), _change(0, 2, 3, "Y")], "aXY"),
        ("a\fb\nc", [_change(1, 0, 1, "X")], "a\fb\nX"),
        ("\U0001f600b", [_change(0, 2, 3, "X")], "\U0001f600X"),
        ("a\n", [_change(1, 0, 0, "b")], "a\nb"),
        ("", [_change(0, 0, 0, "a")], "a"),
        ("abc", [_change(0, 2, 1, "X")], "abXc"),
        ("abc", [types.TextDocumentContentChangeWholeDocument("new")], "new"),
    ],
)
def test_changes(
    text: str, changes: list[types.TextDocumentContentChangeEvent], expected: str
) -> None:
    assert changed(text, changes, "utf-16") == expected
