"""What a session document offers by standard features: symbols, folds, links, hovers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.workspace import PositionCodec

if TYPE_CHECKING:
    from perdure.agent.transcript import Document, Turn


def symbols(document: Document, codec: PositionCodec) -> list[types.DocumentSymbol]:
    """Return one symbol per turn, named by its prompt."""
    pairs = zip(document.starts, document.turns, strict=True)
    return [_symbol(start, turn, codec) for start, turn in pairs]


def folds(document: Document) -> list[types.FoldingRange]:
    """Return every turn, and what is long inside of it."""
    turns = [
        types.FoldingRange(start, start + turn.height - 2, kind=types.FoldingRangeKind.Region)
        for start, turn in zip(document.starts, document.turns, strict=True)
    ]
    inside = [
        types.FoldingRange(placed.line + fold.first, placed.line + fold.last)
        for placed in document.placed()
        for fold in placed.block.folds
    ]
    return turns + inside


def links(document: Document, codec: PositionCodec) -> list[types.DocumentLink]:
    """Return the files that tools touched."""
    found = []
    for placed in document.placed():
        for link in placed.block.links:
            text = placed.block.text.split("\n")[link.line]
            line = placed.line + link.line
            start = codec.client_num_units(text[: link.start])
            end = codec.client_num_units(text[: link.end])
            span = types.Range(types.Position(line, start), types.Position(line, end))
            found.append(types.DocumentLink(span, target=Path(link.target).as_uri()))
    return found


def hover_at(document: Document, line: int) -> types.Hover | None:
    """Return what is recorded of the call on this line, None where there is none."""
    from perdure.agent.transcript import hover

    placed = document.block_at(line)
    if placed is None or placed.block.call is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, hover(placed.block.call))
    return types.Hover(content, lines_of(placed.line, placed.block.height))


def lines_of(line: int, height: int) -> types.Range:
    """Return the range of whole lines."""
    return types.Range(types.Position(line, 0), types.Position(line + height, 0))


def _symbol(start: int, turn: Turn, codec: PositionCodec) -> types.DocumentSymbol:
    heading = turn.blocks[0].text.removesuffix("\n")
    return types.DocumentSymbol(
        name=turn.title,
        detail=turn.state,
        kind=types.SymbolKind.Event,
        range=lines_of(start, turn.height - 1),
        selection_range=types.Range(
            types.Position(start, 0), types.Position(start, codec.client_num_units(heading))
        ),
    )
