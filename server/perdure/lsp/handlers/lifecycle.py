"""``initialize`` to ``exit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from perdure.json_types import JsonValue
from perdure.lsp.features import features_of
from perdure.lsp.parent import ended
from perdure.lsp.rpc import CallFailed

if TYPE_CHECKING:
    from perdure.lsp.server import Server


def register(server: Server) -> None:
    """Add the life cycle to ``server``."""
    folders: list[str] = []

    async def initialize(params: types.InitializeParams) -> None:
        server.declare(features_of(params.capabilities))
        server.settings.initialize(cast(JsonValue, params.initialization_options))
        folders.extend(_folders(params))
        if params.process_id is not None:
            server.tasks.spawn(_watch(server, params.process_id))

    async def initialized(_: types.InitializedParams) -> None:
        server.tasks.spawn(_open(server, folders))

    async def shutdown(_: object) -> None:
        """Answered when the work is suspended and the locks are free.

        What changes something has until then to answer with its result.
        """
        server.protocol.end_requests()
        await server.suspend()
        server.protocol.give_up_requests()

    async def leave(_: object) -> None:
        server.stop("the client said exit")

    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.protocol.fm.add_builtin_feature(types.SHUTDOWN, shutdown)
    server.protocol.fm.add_builtin_feature(types.EXIT, leave)


async def _open(server: Server, folders: list[str]) -> None:
    """Open the folders with the settings that the client wants to give when it is asked."""
    try:
        if server.features.configuration:
            await server.settings.pull()
        for uri in folders:
            server.folders.open(uri)
    finally:
        server.opened.set()
    if server.features.register_configuration:
        await _register_configuration(server)


async def _register_configuration(server: Server) -> None:
    """Ask for ``workspace/didChangeConfiguration``, which clients send to who registered."""
    method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
    registration = {"id": method, "method": method, "registerOptions": {"section": "perdure"}}
    try:
        await server.protocol.call(
            types.CLIENT_REGISTER_CAPABILITY, {"registrations": [registration]}
        )
    except CallFailed as error:
        server.host.log(f"client/registerCapability failed: {error}")


async def _watch(server: Server, process_id: int) -> None:
    await ended(process_id)
    server.stop(f"the client (pid {process_id}) is gone")


def _folders(params: types.InitializeParams) -> list[str]:
    """The folders to open; clients without workspace folders name one root."""
    if params.workspace_folders is not None:
        return [folder.uri for folder in params.workspace_folders]
    if params.root_uri is not None:
        return [params.root_uri]
    if params.root_path is not None and Path(params.root_path).is_absolute():
        return [Path(params.root_path).as_uri()]
    return []
