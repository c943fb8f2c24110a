"""``perdure.showLog`` and ``perdure.showChanged``: files of a session, in the editor.

A client that does not open files for us gets their URIs only.
"""

from __future__ import annotations

import logging

from lsprotocol import types

from perdure.errors import CommandError
from perdure.lsp.agents import Agent
from perdure.lsp.rpc import CallFailed, Protocol
from perdure.protocol.documents import ShowLogResult
from perdure.protocol.operations import FolderArguments, SessionArguments

logger = logging.getLogger(__name__)


class ShowLog:
    """Shows files at one client; ``supported`` says whether the client opens files for us."""

    def __init__(self, protocol: Protocol) -> None:
        self.supported = False
        self._protocol = protocol

    async def show(self, agent: Agent, arguments: SessionArguments) -> ShowLogResult:
        """Open the file of the session, of the folder's own when none is named.

        Raises ``PerdureError``.
        """
        session_id = arguments.get("sessionId") or agent.status()["sessionId"]
        if session_id is None:
            raise CommandError("The folder has no session yet.", code="not_found")
        uri = (await agent.transcripts.path(session_id)).as_uri()
        return {"uri": uri, "shown": self.supported and await self._opened(uri)}

    async def show_changed(self, agent: Agent, _: FolderArguments) -> ShowLogResult:
        """Open what changed since the blocked operation was recorded. Raises ``PerdureError``."""
        uri = (await agent.remedies.write_changed()).as_uri()
        return {"uri": uri, "shown": self.supported and await self._opened(uri)}

    async def _opened(self, uri: str) -> bool:
        try:
            answer = await self._protocol.call(
                types.WINDOW_SHOW_DOCUMENT, {"uri": uri, "takeFocus": True}
            )
        except CallFailed as error:
            logger.warning("%s failed: %s", types.WINDOW_SHOW_DOCUMENT, error)
            return False
        match answer:
            case {"success": bool(success)}:
                return success
            case _:
                return False
