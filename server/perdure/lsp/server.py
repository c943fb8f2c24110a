"""The language server: what it is made of. Features are in ``handlers``, its life in ``life``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.lsp.server import LanguageServer

from perdure import __version__
from perdure.lsp.agents import Agent, AgentFactory, workspace_agent
from perdure.lsp.buffers import Buffers
from perdure.lsp.diagnostics import Diagnostics
from perdure.lsp.editor_diagnostics import EditorDiagnostics
from perdure.lsp.failures import Failures
from perdure.lsp.features import ClientFeatures
from perdure.lsp.folders import Folders
from perdure.lsp.handlers import (
    actions,
    commands,
    documents,
    lifecycle,
    transcripts,
    workspace,
)
from perdure.lsp.host import EditorHost
from perdure.lsp.progress import Progress
from perdure.lsp.rpc import Protocol
from perdure.lsp.settings import EditorSettings
from perdure.lsp.show_log import ShowLog
from perdure.lsp.tasks import Tasks
from perdure.lsp.transcripts import TranscriptDocuments

if TYPE_CHECKING:
    from pygls.server import ServerErrors

logger = logging.getLogger(__name__)


class Server(LanguageServer):
    """One client's server; to be made inside a running loop.

    ``opened`` is set when the folders known at the start are open, ``stopped`` when the process
    has to end, with the reason.
    """

    protocol: Protocol

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        agent_factory: AgentFactory = workspace_agent,
    ) -> None:
        super().__init__(
            "perdure",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
            converter_factory=get_converter,
        )
        self.features = ClientFeatures()
        self.tasks = Tasks()
        self.operations = Progress(self.protocol, self.tasks)
        self.transcripts = TranscriptDocuments(self.protocol, self.tasks, lambda: self.folders)
        self.diagnostics = Diagnostics(self.protocol, self.tasks, self.transcripts.heading)
        self.buffers = Buffers(self.protocol, self.tasks, self._position_encoding)
        self.reported = EditorDiagnostics(self.protocol)
        self.failures = Failures(
            host=lambda: self.host,
            act=lambda action: commands.act(self, action),
            tasks=self.tasks,
        )
        self.host = EditorHost(
            self.protocol,
            progress=self.operations,
            diagnostics=self.diagnostics,
            failures=self.failures,
            transcripts=self.transcripts,
            buffers=self.buffers,
            reported=self.reported,
        )
        self.show_log = ShowLog(self.protocol)
        self.settings = EditorSettings(self.protocol, environ=environ, tell=self.host.tell)
        self.folders = Folders(make_agent=self._agent, tasks=self.tasks, tell=self.host.tell)
        self.opened = asyncio.Event()
        self.stopped: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._environ = environ
        self._agent_factory = agent_factory
        self._suspension: asyncio.Task[None] | None = None
        for group in (lifecycle, workspace, documents, transcripts, commands, actions):
            group.register(self)

    def declare(self, features: ClientFeatures) -> None:
        """Take what the client can do."""
        self.features = features
        self.operations.supported = features.progress
        self.host.asks_by_approve = features.approve
        self.failures.asks = not features.approve
        self.reported.supported = features.diagnostics
        self.buffers.applies_edits = features.apply_edit
        self.buffers.knows_versions = features.versioned_edits
        self.transcripts.refreshes_lenses = features.refresh_lenses
        self.show_log.supported = features.show_document

    def stop(self, reason: str) -> None:
        """End the process soon; only the first reason counts."""
        if not self.stopped.done():
            self.stopped.set_result(reason)

    async def suspend(self) -> None:
        """Suspend all agents, once; returns when it is done or its time is over."""
        if self._suspension is None:
            self._suspension = self.tasks.start(self.folders.close_all())
        await asyncio.shield(self._suspension)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log what went wrong in a notification; pygls would open a popup."""
        logger.error("%s: %s", source.__name__, error)

    def _position_encoding(self) -> str:
        return types.PositionEncodingKind(self.workspace.position_encoding).value

    def _agent(self, uri: str, path: str) -> Agent:
        return self._agent_factory(
            folder_uri=uri,
            root=Path(path),
            settings=self.settings.current(),
            host=self.host,
            environ=self._environ,
        )
