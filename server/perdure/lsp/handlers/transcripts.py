"""Session documents: their text, and the standard features on them.

Clients send the requests for documents of every kind; all but ours get an empty answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from perdure.errors import PerdureError
from perdure.json_types import JsonValue
from perdure.lsp import transcript_views as views
from perdure.lsp.arguments import check
from perdure.lsp.lenses import lenses
from perdure.lsp.transcripts import Shown, session_of
from perdure.protocol.documents import TranscriptParams, TranscriptResult

if TYPE_CHECKING:
    from perdure.lsp.server import Server

TRANSCRIPT = "perdure/transcript"


def register(server: Server) -> None:
    """Add the session documents to ``server``."""
    _register_text(server)
    _register_features(server)


def _register_text(server: Server) -> None:
    async def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        await server.opened.wait()
        return types.TextDocumentContentResult(
            await server.transcripts.read(params.uri, refresh=True)
        )

    async def transcript(params: JsonValue) -> TranscriptResult:
        given = check(TranscriptParams, params, path="params")
        await server.opened.wait()
        return {"text": await server.transcripts.read(given["uri"], refresh=False)}

    server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)(content)
    server.feature(TRANSCRIPT)(transcript)


def _register_features(server: Server) -> None:
    async def document_symbol(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        shown = await _shown(server, params.text_document)
        return views.symbols(shown.document, server.workspace.position_codec) if shown else []

    async def folding_range(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        shown = await _shown(server, params.text_document)
        return views.folds(shown.document) if shown else []

    async def document_link(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        shown = await _shown(server, params.text_document)
        return views.links(shown.document, server.workspace.position_codec) if shown else []

    async def hover(params: types.HoverParams) -> types.Hover | None:
        shown = await _shown(server, params.text_document)
        return views.hover_at(shown.document, params.position.line) if shown else None

    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        shown = await _shown(server, params.text_document)
        if shown is None:
            return []
        return lenses(shown.document, shown.session_id, shown.folder.agent.status())

    server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)(document_symbol)
    server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)(folding_range)
    server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)(document_link)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(code_lens)


async def _shown(server: Server, document: types.TextDocumentIdentifier) -> Shown | None:
    """Return the session document; None for all others and for what cannot be read.

    The request for the text says why it cannot.
    """
    if session_of(document.uri) is None:
        return None
    await server.opened.wait()
    try:
        return await server.transcripts.find(document.uri)
    except PerdureError:
        return None
