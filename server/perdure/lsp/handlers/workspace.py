"""Workspace folders and settings that change."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from lsprotocol import types

from perdure.json_types import JsonValue

if TYPE_CHECKING:
    from perdure.lsp.server import Server


def register(server: Server) -> None:
    """Add the workspace's notifications to ``server``."""

    async def change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            await server.folders.close(folder.uri)
            server.diagnostics.forget(folder.uri)
        for folder in params.event.added:
            server.folders.open(folder.uri)

    async def change_configuration(params: types.DidChangeConfigurationParams) -> None:
        """Configure all agents; a client that can be asked is asked, others push."""
        if params.settings is not None:
            server.settings.push(cast(JsonValue, params.settings))
        if server.features.configuration:
            await server.settings.pull()
        settings = server.settings.current()
        for folder in server.folders:
            folder.agent.configure(settings)

    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(change_folders)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(change_configuration)
