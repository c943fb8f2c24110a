"""Why work stands still, as a diagnostic on the session's document, with its legal actions."""

from __future__ import annotations

from lsprotocol import types

from perdure.lsp.convert import folder_key
from perdure.lsp.rpc import Protocol
from perdure.protocol.types import BlockedInfo, Status

SOURCE = "perdure"


def transcript_uri(session_id: str) -> str:
    """The document that shows a session."""
    return f"perdure:/{session_id}.md"


class Diagnostics:
    """The diagnostics now shown: at most one per folder."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._shown: dict[str, tuple[str, BlockedInfo]] = {}

    def update(self, status: Status) -> None:
        """Show the folder's reason, or take the earlier one away."""
        wanted = _wanted(status)
        folder = folder_key(status["workspaceFolder"])
        before = self._shown.get(folder)
        if wanted == before:
            return
        if before is not None:
            del self._shown[folder]
            if wanted is None or wanted[0] != before[0]:
                self._publish(before[0], [])
        if wanted is not None:
            self._shown[folder] = wanted
            self._publish(wanted[0], [_diagnostic(wanted[1])])

    def forget(self, folder: str) -> None:
        """Take the diagnostic of a closed folder away."""
        before = self._shown.pop(folder_key(folder), None)
        if before is not None:
            self._publish(before[0], [])

    def actions(self, uri: str) -> list[types.CodeAction]:
        """The legal next actions for what is shown on ``uri``."""
        return [
            types.CodeAction(
                title=action["title"],
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[_diagnostic(reason)],
                command=types.Command(
                    title=action["title"],
                    command=action["command"],
                    arguments=list(action["arguments"]),
                ),
            )
            for shown, reason in self._shown.values()
            if shown == uri.replace("perdure:///", "perdure:/")
            for action in reason["actions"]
        ]

    def _publish(self, uri: str, diagnostics: list[types.Diagnostic]) -> None:
        self._protocol.notify(
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS,
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics),
        )


def _wanted(status: Status) -> tuple[str, BlockedInfo] | None:
    session_id = status["sessionId"]
    reason = status["blocked"]
    if session_id is None or reason is None:
        return None
    return transcript_uri(session_id), reason


def _diagnostic(reason: BlockedInfo) -> types.Diagnostic:
    lines = [reason["title"]]
    lines += [
        f"{detail['field']}: {detail['recorded']} → {detail['current']}"
        for detail in reason["details"]
    ]
    start = types.Position(line=0, character=0)
    return types.Diagnostic(
        range=types.Range(start=start, end=start),
        message="\n".join(lines),
        severity=types.DiagnosticSeverity.Warning,
        source=SOURCE,
        code=reason["code"],
    )
