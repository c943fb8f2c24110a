"""The editor as the agent's host."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from lsprotocol import types

from perdure.agent.host import Buffer, Level
from perdure.agent.text_changes import Change
from perdure.agent.transcript.inert import visible
from perdure.errors import CommandError
from perdure.json_types import JsonValue
from perdure.lsp.arguments import check
from perdure.lsp.buffers import Buffers
from perdure.lsp.deltas import DeltaMerger
from perdure.lsp.diagnostics import Diagnostics
from perdure.lsp.editor_diagnostics import EditorDiagnostics
from perdure.lsp.failures import Failures
from perdure.lsp.progress import Progress
from perdure.lsp.rpc import CallFailed, Protocol
from perdure.lsp.transcripts import TranscriptDocuments
from perdure.protocol.approvals import ApproveParams, ApproveResult, Decision
from perdure.protocol.progress import CommittedParams, DeltaParams
from perdure.protocol.status import Status
from perdure.tools.diagnostics import AskEditor

STATUS = "perdure/status"
DELTA = "perdure/delta"
COMMITTED = "perdure/committed"
APPROVE = "perdure/approve"

_ANSWERS: dict[str, Decision] = {
    "Allow": "allow",
    "Allow for this session": "allowForSession",
    "Always allow in this workspace": "allowForWorkspace",
    "Deny": "deny",
}
_LEVELS: dict[Level, types.MessageType] = {
    "info": types.MessageType.Info,
    "warning": types.MessageType.Warning,
    "error": types.MessageType.Error,
}

_SHOWN_LINES = 20

logger = logging.getLogger(__name__)


class EditorHost:
    """Implements ``perdure.agent.host.Host``; one for all folders of a client."""

    def __init__(
        self,
        protocol: Protocol,
        *,
        progress: Progress,
        diagnostics: Diagnostics,
        failures: Failures,
        transcripts: TranscriptDocuments,
        buffers: Buffers,
        reported: EditorDiagnostics,
    ) -> None:
        self.asks_by_approve = False
        self._protocol = protocol
        self._progress = progress
        self._diagnostics = diagnostics
        self._failures = failures
        self._transcripts = transcripts
        self._buffers = buffers
        self._reported = reported
        self._deltas = DeltaMerger(
            publish=self._publish_delta, congested=lambda: protocol.congested
        )

    def status_changed(self, status: Status) -> None:
        """Publish ``perdure/status``, and the diagnostic and the lenses that belong to it."""
        self._deltas.flush()
        key = (STATUS, status["workspaceFolder"])
        self._protocol.publish(STATUS, status, replaces=key)
        self._diagnostics.update(status)
        self._failures.update(status)
        self._transcripts.status_changed(status)

    def delta(self, params: DeltaParams) -> None:
        """Publish ``perdure/delta``, merged with its neighbours."""
        self._deltas.add(params)

    def committed(self, params: CommittedParams) -> None:
        """Publish ``perdure/committed``, and that the session's document has changed."""
        self._deltas.flush()
        self._protocol.publish(COMMITTED, params)
        self._transcripts.committed(params["sessionId"])

    @property
    def is_unattended(self) -> bool:
        """Say that there is somebody to ask: whoever sits before the editor."""
        return False

    async def ask_approval(self, params: ApproveParams) -> ApproveResult | None:
        """Ask by ``perdure/approve``, or by a message where the client does not know that."""
        if not self.asks_by_approve:
            choice = await self.ask(_question(params), list(_ANSWERS))
            return None if choice is None else {"decision": _ANSWERS[choice]}
        answer = await self._call(APPROVE, params)
        if answer is None:
            return None
        try:
            return check(ApproveResult, answer, path="result")
        except CommandError as error:
            logger.warning("Ignoring the answer to %s: %s", APPROVE, error)
            return None

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Put a question by ``window/showMessageRequest``; nothing in it hides or reorders text."""
        answer = await self._call(
            types.WINDOW_SHOW_MESSAGE_REQUEST,
            {
                "type": types.MessageType.Info,
                "message": visible(message),
                "actions": [{"title": title} for title in actions],
            },
        )
        match answer:
            case {"title": str(title)} if title in actions:
                return title
            case _:
                return None

    async def buffer(self, path: Path) -> Buffer | None:
        """Return the open document of the file, if it has unsaved changes."""
        return await self._buffers.find(path)

    async def apply_edit(self, buffer: Buffer, changes: Sequence[Change], label: str) -> None:
        """Change the document by ``workspace/applyEdit``."""
        await self._buffers.apply(buffer, changes, label)

    @property
    def ask_diagnostics(self) -> AskEditor | None:
        """How the client is asked what it reports, where it can be."""
        return self._reported.ask if self._reported.supported else None

    def tell(self, level: Level, message: str) -> None:
        """Show a message by ``window/showMessage``."""
        self._protocol.publish(
            types.WINDOW_SHOW_MESSAGE, {"type": _LEVELS[level], "message": visible(message)}
        )

    def log(self, message: str) -> None:
        """Write to standard error, which editors keep as the server's log."""
        logger.info("%s", message)

    def progress_begin(self, operation_id: str, title: str, cancel: Callable[[], None]) -> None:
        """Show work-done progress."""
        self._progress.begin(operation_id, title, cancel)

    def progress_report(self, operation_id: str, message: str) -> None:
        """Change the line of the progress."""
        self._progress.report(operation_id, message)

    def progress_end(self, operation_id: str) -> None:
        """Take the progress away."""
        self._progress.end(operation_id)

    def _publish_delta(self, params: DeltaParams) -> None:
        self._protocol.publish(DELTA, params)

    async def _call(self, method: str, params: Mapping[str, object]) -> JsonValue:
        """Call the client; None when it answers with an error."""
        try:
            return await self._protocol.call(method, params)
        except CallFailed as error:
            logger.warning("%s failed: %s", method, error)
            return None


def _question(params: ApproveParams) -> str:
    """Return what the user must see: a command or arguments in full, or what changes in a file."""
    lines = [params["title"]]
    match params.get("preview"):
        case {"command": str(command), "directory": str(directory)}:
            lines += [command, f"in {directory}"]
        case {"command": str(command)}:
            lines.append(command)
        case {"before": str(before), "after": str(after)}:
            lines += _changes(before, after)
        case _:
            lines.append(json.dumps(params["arguments"], ensure_ascii=False, indent=1))
    if "reason" in params:
        lines.append(params["reason"])
    return "\n".join(lines)


def _changes(before: str, after: str) -> list[str]:
    """Return the changed lines, as many as a message can show."""
    diff = list(unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0))[2:]
    left = len(diff) - _SHOWN_LINES
    return diff if left <= 0 else [*diff[:_SHOWN_LINES], f"({left} more lines)"]
