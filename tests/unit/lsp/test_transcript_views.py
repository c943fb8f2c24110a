"""Places of a session document in the encoding that the client counts in."""

from __future__ import annotations

from itertools import pairwise

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec
from tests.unit.agent.transcripts import SESSIONS, document

from perdure.lsp.transcript_views import folds, hover_at, links, symbols

UNITS = {
    types.PositionEncodingKind.Utf8: "utf-8",
    types.PositionEncodingKind.Utf16: "utf-16-le",
    types.PositionEncodingKind.Utf32: "utf-32-le",
}
WIDTHS = {"utf-8": 1, "utf-16-le": 2, "utf-32-le": 4}


@pytest.mark.parametrize("encoding", UNITS)
def test_a_link_covers_the_path_in_every_encoding(encoding: types.PositionEncodingKind) -> None:
    shown = document(SESSIONS["run"])
    lines = shown.text.split("\n")
    codec = UNITS[encoding]
    width = WIDTHS[codec]
    texts = []
    for link in links(shown, PositionCodec(encoding)):
        line = lines[link.range.start.line].encode(codec)
        start, end = link.range.start.character * width, link.range.end.character * width
        texts.append(line[start:end].decode(codec))
    assert texts == ["`src/app.py`", "`../über/𝒇.py`"]


@pytest.mark.parametrize("encoding", UNITS)
def test_a_symbol_selects_its_heading(encoding: types.PositionEncodingKind) -> None:
    shown = document(SESSIONS["compacted"])
    lines = shown.text.split("\n")
    found = symbols(shown, PositionCodec(encoding))
    assert [symbol.name for symbol in found] == ["one", "Compaction", "three"]
    for symbol in found:
        heading = lines[symbol.selection_range.start.line].encode(UNITS[encoding])
        assert symbol.selection_range.end.character * WIDTHS[UNITS[encoding]] == len(heading)
        assert symbol.range.start == symbol.selection_range.start
    ends = [symbol.range.end.line for symbol in found]
    assert ends[:2] == [symbol.range.start.line - 1 for symbol in found[1:]]
    assert ends[2] == len(lines) - 1


@pytest.mark.parametrize("name", SESSIONS)
def test_folds_lie_in_the_document_and_do_not_cross(name: str) -> None:
    shown = document(SESSIONS[name])
    last = shown.text.count("\n") - 1
    found = sorted((fold.start_line, -fold.end_line) for fold in folds(shown))
    assert all(first < -end <= last for first, end in found)
    for (_, end), (start, later) in pairwise(found):
        assert start > -end or -later <= -end


def test_every_output_is_folded() -> None:
    shown = document(SESSIONS["run"])
    lines = shown.text.split("\n")
    opened = {fold.start_line: fold.end_line for fold in folds(shown)}
    starts = [number for number, line in enumerate(lines) if line.startswith("<details>")]
    assert len(starts) == 3
    assert [lines[opened[start]] for start in starts] == ["</details>"] * 3


def test_hover_covers_the_lines_of_its_call() -> None:
    shown = document(SESSIONS["run"])
    lines = shown.text.split("\n")
    line = lines.index("1 failed")
    hover = hover_at(shown, line)
    assert hover is not None
    assert hover.range is not None
    assert lines[hover.range.start.line].startswith("**Tool** `bash`")
    assert lines[hover.range.end.line - 1] == "</details>"
    assert hover_at(shown, 0) is None
    assert hover_at(shown, len(lines) + 5) is None
