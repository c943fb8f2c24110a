"""The agent of a folder, as this layer sees it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from perdure.protocol.operations import (
    AbortArguments,
    AbortResult,
    ApproveArguments,
    CompactResult,
    OpenSessionArguments,
    ResumeResult,
    SessionArguments,
    WaitArguments,
)
from perdure.protocol.prompts import (
    CompleteArguments,
    CompleteResult,
    PromptArguments,
    PromptResult,
)
from perdure.protocol.sessions import SessionsResult
from perdure.protocol.status import ModelsResult, Status

if TYPE_CHECKING:
    from perdure.agent.continuing import Continuing
    from perdure.agent.host import Host
    from perdure.agent.queue_commands import QueueCommands
    from perdure.agent.remedies import Remedies
    from perdure.agent.session_admin import SessionAdmin
    from perdure.agent.settings import Settings
    from perdure.agent.takeover import TakeOver
    from perdure.agent.transcript import Document
    from perdure.agent.undo_commands import UndoCommands
    from perdure.store.follow import Revision


class SessionTranscripts(Protocol):
    """The session documents of a folder; see ``perdure.agent.transcripts.Transcripts``."""

    async def document(self, session_id: str) -> Document: ...
    async def path(self, session_id: str) -> Path: ...
    async def revision(self, session_id: str) -> Revision | None: ...


class Agent(Protocol):
    """One workspace folder's agent; see ``perdure.agent.workspace.WorkspaceAgent``."""

    async def start(self) -> None: ...
    def status(self) -> Status: ...
    async def prompt(self, arguments: PromptArguments) -> PromptResult: ...
    async def abort(self, arguments: AbortArguments) -> AbortResult: ...
    async def compact(self, arguments: SessionArguments) -> CompactResult: ...
    async def resume(self, arguments: SessionArguments) -> ResumeResult: ...
    async def models(self) -> ModelsResult: ...
    async def complete(self, arguments: CompleteArguments) -> CompleteResult: ...
    async def sessions(self) -> SessionsResult: ...
    async def open_session(self, arguments: OpenSessionArguments) -> Status: ...
    async def new_session(self) -> Status: ...
    async def wait(self, arguments: WaitArguments) -> Status: ...
    @property
    def taking_over(self) -> TakeOver: ...
    @property
    def continuing(self) -> Continuing: ...
    @property
    def remedies(self) -> Remedies: ...
    @property
    def undoing(self) -> UndoCommands: ...
    @property
    def queue(self) -> QueueCommands: ...
    @property
    def admin(self) -> SessionAdmin: ...
    @property
    def transcripts(self) -> SessionTranscripts: ...
    async def approve(self, arguments: ApproveArguments) -> Status: ...
    def configure(self, settings: Settings) -> None: ...
    async def close(self) -> None: ...


class AgentFactory(Protocol):
    """Makes the agent of one folder; called after ``initialize`` was answered."""

    def __call__(
        self,
        *,
        folder_uri: str,
        root: Path,
        settings: Settings,
        host: Host,
        environ: Mapping[str, str],
    ) -> Agent: ...


def workspace_agent(
    *,
    folder_uri: str,
    root: Path,
    settings: Settings,
    host: Host,
    environ: Mapping[str, str],
) -> Agent:
    """Make the real agent; its imports are heavy and wait until here."""
    from perdure.agent.workspace import WorkspaceAgent

    return WorkspaceAgent(
        folder_uri=folder_uri, root=root, settings=settings, host=host, environ=environ
    )
