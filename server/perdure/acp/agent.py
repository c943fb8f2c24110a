"""The methods of the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acp.exceptions import RequestError
from acp.schema import (
    AgentCapabilities,
    ClientCapabilities,
    CloseSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionResumeCapabilities,
)

from perdure import __version__
from perdure.acp.content import Block, prompt_content
from perdure.acp.given_servers import GivenServer, with_servers
from perdure.acp.host import ClientHost
from perdure.acp.projection import Projection
from perdure.acp.session import AcpSession
from perdure.agent.settings import Settings
from perdure.core.masking import as_stored, masked
from perdure.errors import PerdureError

if TYPE_CHECKING:
    from acp.interfaces import Client

PROTOCOL_VERSION = 1
CLOSE_SECONDS = 1.5
"""How long suspending may take in all."""


class PerdureAgent:
    """Serves one client: any number of sessions, each with an agent of its own."""

    def __init__(self, *, settings: Settings, environ: Mapping[str, str]) -> None:
        self._settings = settings
        self._environ = environ
        self._sessions: dict[str, AcpSession] = {}
        self._client: Client | None = None

    def on_connect(self, conn: Client) -> None:
        """Take the connection."""
        self._client = conn

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_: Any,  # noqa: ANN401
    ) -> InitializeResponse:
        """Say what is supported."""
        return InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
            agent_info=Implementation(name="perdure", title="Perdure", version=__version__),
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(embedded_context=True),
                mcp_capabilities=McpCapabilities(http=True),
                session_capabilities=SessionCapabilities(
                    list=SessionListCapabilities(),
                    resume=SessionResumeCapabilities(),
                    close=SessionCloseCapabilities(),
                ),
            ),
            auth_methods=[],
        )

    async def new_session(
        self,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[GivenServer] | None = None,
        **_: Any,  # noqa: ANN401
    ) -> NewSessionResponse:
        """Create a session in a folder."""
        async with self._opening(cwd, mcp_servers) as session:
            session_id = await session.new()
            self._sessions[session_id] = session
        return NewSessionResponse(session_id=session_id)

    async def load_session(
        self,
        cwd: str,
        session_id: str,
        mcp_servers: list[GivenServer] | None = None,
        additional_directories: list[str] | None = None,
        **_: Any,  # noqa: ANN401
    ) -> LoadSessionResponse:
        """Open a session, show what happened in it, and go on with unfinished work."""
        await self._open(cwd, session_id, mcp_servers, replay=True)
        return LoadSessionResponse()

    async def resume_session(
        self,
        session_id: str,
        cwd: str,
        additional_directories: list[str] | None = None,
        mcp_servers: list[GivenServer] | None = None,
        **_: Any,  # noqa: ANN401
    ) -> ResumeSessionResponse:
        """Do the same for a client that knows what happened."""
        await self._open(cwd, session_id, mcp_servers, replay=False)
        return ResumeSessionResponse()

    async def list_sessions(
        self,
        cwd: str | None = None,
        cursor: str | None = None,
        **_: Any,  # noqa: ANN401
    ) -> ListSessionsResponse:
        """List the sessions of a folder, newest first."""
        root = Path(cwd) if cwd else Path.cwd()
        async with self._opening(str(root), None) as session:
            infos = await session.sessions()
            await session.close()
        return ListSessionsResponse(
            sessions=[
                SessionInfo(
                    session_id=info["sessionId"],
                    cwd=str(root),
                    title=info["title"],
                    updated_at=_iso(info["updatedAt"]),
                )
                for info in infos
            ]
        )

    async def prompt(
        self,
        session_id: str,
        prompt: Sequence[Block],
        **_: Any,  # noqa: ANN401
    ) -> PromptResponse:
        """Send a prompt; returns at the end of its run."""
        session = self._session(session_id)
        async with _refusals():
            reason = await session.prompt(prompt_content(prompt, session.root))
        return PromptResponse(stop_reason=reason)

    async def cancel(self, session_id: str, **_: Any) -> None:  # noqa: ANN401
        """Abort what the session works on."""
        async with _refusals():
            await self._session(session_id).cancel()

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:  # noqa: ANN401
        """Suspend a session."""
        session = self._session(session_id)
        del self._sessions[session_id]
        await session.close()
        return CloseSessionResponse()

    async def suspend(self) -> None:
        """Suspend all sessions, in ``CLOSE_SECONDS`` at most."""
        closing = [asyncio.create_task(session.close()) for session in self._sessions.values()]
        self._sessions.clear()
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_SECONDS)

    def _session(self, session_id: str) -> AcpSession:
        session = self._sessions.get(session_id)
        if session is None:
            raise RequestError.invalid_params({"sessionId": "is not open; load it first"})
        return session

    async def _open(
        self, cwd: str, session_id: str, servers: list[GivenServer] | None, *, replay: bool
    ) -> None:
        if session_id in self._sessions:
            await self.close_session(session_id)
        async with self._opening(cwd, servers) as session:
            await session.load(session_id, replay=replay)
            self._sessions[session_id] = session

    @asynccontextmanager
    async def _opening(
        self, cwd: str, servers: list[GivenServer] | None
    ) -> AsyncIterator[AcpSession]:
        """Make a session that is closed again where it cannot be opened."""
        root = Path(cwd)
        if not root.is_absolute() or not await asyncio.to_thread(root.is_dir):
            raise RequestError.invalid_params({"cwd": "must be the absolute path of a folder"})
        if self._client is None:
            raise RequestError.internal_error()
        settings = with_servers(self._settings, servers or ())
        projection = Projection(root, masked if settings.mask_secrets else as_stored)
        session = AcpSession(
            root=root,
            settings=settings,
            host=ClientHost(self._client, projection),
            environ=self._environ,
        )
        try:
            async with _refusals():
                yield session
        except BaseException:
            await session.close()
            raise


@asynccontextmanager
async def _refusals() -> AsyncIterator[None]:
    """Answer what Perdure refuses with an error that says what to do."""
    try:
        yield
    except PerdureError as error:
        raise RequestError(-32603, str(error), {"code": error.code}) from error


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat()
