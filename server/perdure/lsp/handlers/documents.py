"""Text documents, so that tools see unsaved text.

These handlers take the place of those of pygls, whose text goes astray; see ``document_text``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from perdure.lsp.server import Server


def register(server: Server) -> None:
    """Add the synchronisation of documents to ``server``."""

    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.buffers.open(params.text_document)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.buffers.change(params)

    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.buffers.save(params.text_document.uri)

    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.buffers.close(params.text_document.uri)
        server.transcripts.forget(params.text_document.uri)

    features = server.protocol.fm
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_OPEN, opened)
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_CHANGE, changed)
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_CLOSE, closed)
    options = types.SaveOptions(include_text=False)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, options)(saved)
