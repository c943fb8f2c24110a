"""Text documents, so that tools see unsaved text.

These handlers take the place of those of pygls, whose text goes astray; see ``document_text``.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from perdure.lsp.server import Server

PAUSE_SECONDS = 0.5
"""After the latest change; then the document is compared with its file."""


def register(server: Server) -> None:
    """Add the synchronisation of documents to ``server``."""
    buffers = server.buffers

    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        buffers.open(params.text_document)
        await buffers.settle(params.text_document.uri)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        """Also finds that a document was loaded from the file again, which nobody tells."""
        buffers.change(params)
        document = params.text_document
        await asyncio.sleep(PAUSE_SECONDS)
        if buffers.version(document.uri) == document.version:
            await buffers.settle(document.uri)

    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await buffers.settle(params.text_document.uri)

    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        buffers.close(params.text_document.uri)
        server.transcripts.forget(params.text_document.uri)

    features = server.protocol.fm
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_OPEN, opened)
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_CHANGE, changed)
    features.add_builtin_feature(types.TEXT_DOCUMENT_DID_CLOSE, closed)
    options = types.SaveOptions(include_text=False)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, options)(saved)
