"""Code actions: the legal next actions of what is blocked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from perdure.lsp.server import Server


def register(server: Server) -> None:
    """Add code actions to ``server``."""

    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        return server.diagnostics.actions(params.text_document.uri)

    options = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(code_actions)
