"""Text documents: pygls keeps their text as it is in the editor; saving needs no work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from perdure.lsp.server import Server


def register(server: Server) -> None:
    """Ask for ``didSave`` too, beside what pygls handles by itself."""

    async def save(_: types.DidSaveTextDocumentParams) -> None:
        """Accepted, so that clients need not leave it out."""

    options = types.SaveOptions(include_text=False)
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, options)(save)
