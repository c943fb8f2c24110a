"""Why work stands still or failed, as a diagnostic on the session's document, with its actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from lsprotocol import types

from perdure.lsp.file_diagnostics import FileDiagnostics
from perdure.lsp.rpc import Protocol
from perdure.lsp.tasks import Tasks
from perdure.lsp.transcripts import session_of, transcript_uri
from perdure.protocol.status import Status
from perdure.protocol.trouble import BlockedInfo, FailedInfo
from perdure.protocol.uris import folder_key

SOURCE = "perdure"
DIFF_LINES = 20
"""How much of each diff a message holds; the status holds all of it."""


@dataclass(slots=True)
class _Shown:
    """A reason and the operation it concerns; ``line`` is that of the operation's heading."""

    session_id: str
    operation_id: str | None
    reason: BlockedInfo
    line: int = field(default=0, compare=False)

    @property
    def uri(self) -> str:
        return transcript_uri(self.session_id)


class Diagnostics:
    """The diagnostics now shown: at most one per folder, and one on an interrupted file.

    ``heading(session_id, operation_id)`` finds the line of an operation.
    """

    def __init__(
        self,
        protocol: Protocol,
        tasks: Tasks,
        heading: Callable[[str, str], Awaitable[int]],
    ) -> None:
        self._protocol = protocol
        self._tasks = tasks
        self._heading = heading
        self._shown: dict[str, _Shown] = {}
        self._files = FileDiagnostics(SOURCE, self._publish)

    def update(self, status: Status) -> None:
        """Show the folder's reason, or take the earlier one away."""
        self._files.update(status)
        wanted = _wanted(status)
        folder = folder_key(status["workspaceFolder"])
        before = self._shown.get(folder)
        if wanted == before:
            return
        if before is not None:
            del self._shown[folder]
            if wanted is None or wanted.uri != before.uri:
                self._publish(before.uri, [])
        if wanted is not None:
            self._shown[folder] = wanted
            self._tasks.spawn(self._show(folder, wanted))

    def forget(self, folder: str) -> None:
        """Take the diagnostics of a closed folder away."""
        self._files.forget(folder)
        before = self._shown.pop(folder_key(folder), None)
        if before is not None:
            self._publish(before.uri, [])

    def actions(self, uri: str) -> list[types.CodeAction]:
        """The legal next actions for what is shown on ``uri``."""
        on_session = [
            types.CodeAction(
                title=action["title"],
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(shown)],
                command=types.Command(
                    title=action["title"],
                    command=action["command"],
                    arguments=list(action["arguments"]),
                ),
            )
            for shown in self._shown.values()
            if shown.session_id == session_of(uri)
            for action in shown.reason["actions"]
        ]
        return on_session or self._files.actions(uri)

    async def _show(self, folder: str, wanted: _Shown) -> None:
        """Publish at the operation's heading, unless something else is wanted meanwhile."""
        if wanted.operation_id is not None:
            wanted.line = await self._heading(wanted.session_id, wanted.operation_id)
        if self._shown.get(folder) is wanted:
            self._publish(wanted.uri, [_diagnostic(wanted)])

    def _publish(self, uri: str, diagnostics: Sequence[types.Diagnostic]) -> None:
        self._protocol.notify(
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics),
        )


def _wanted(status: Status) -> _Shown | None:
    session_id = status["sessionId"]
    if session_id is None:
        return None
    reason = status["blocked"]
    if reason is not None:
        operation = status["operation"]
        return _Shown(session_id, operation["operationId"] if operation else None, reason)
    failed = status.get("failed")
    return _Shown(session_id, failed["operationId"], _reason_of(failed)) if failed else None


def _reason_of(failed: FailedInfo) -> BlockedInfo:
    return {
        "code": failed["code"],
        "title": failed["message"],
        "details": [],
        "actions": failed["actions"],
    }


def _diagnostic(shown: _Shown) -> types.Diagnostic:
    reason = shown.reason
    lines = [reason["title"]]
    for detail in reason["details"]:
        lines.append(f"{detail['field']}: {detail['recorded']} → {detail['current']}")
        lines += detail.get("diff", "").splitlines()[:DIFF_LINES]
    return types.Diagnostic(
        range=types.Range(
            start=types.Position(line=shown.line, character=0),
            end=types.Position(line=shown.line + 1, character=0),
        ),
        message="\n".join(lines),
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
        code=reason["code"],
    )
