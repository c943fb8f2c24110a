"""What is known of a file that a call was writing when it was interrupted, on that very file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lsprotocol import types

from perdure.json_types import JsonObject
from perdure.protocol.status import Status
from perdure.protocol.trouble import Action, InterruptedFile
from perdure.protocol.uris import folder_key

INTERRUPTED = "interrupted"
"""The code where nothing is blocked: the work waits only for the user."""

Publish = Callable[[str, Sequence[types.Diagnostic]], None]


class FileDiagnostics:
    """At most one per folder. They come and go with ``interruptedFile`` of the status."""

    def __init__(self, source: str, publish: Publish) -> None:
        self._source = source
        self._publish = publish
        self._shown: dict[str, tuple[InterruptedFile, str, list[Action]]] = {}

    def update(self, status: Status) -> None:
        """Show what the folder's status says, or take the earlier one away."""
        folder = folder_key(status["workspaceFolder"])
        file = status.get("interruptedFile")
        wanted = None if file is None else (file, _code(status), _actions(status))
        before = self._shown.get(folder)
        if wanted == before:
            return
        if before is not None and (file is None or file["uri"] != before[0]["uri"]):
            self.forget(folder)
        if wanted is not None:
            self._shown[folder] = wanted
            self._publish(wanted[0]["uri"], [self._diagnostic(wanted[0], wanted[1])])

    def forget(self, folder: str) -> None:
        """Take the diagnostic of a closed folder away."""
        before = self._shown.pop(folder_key(folder), None)
        if before is not None:
            self._publish(before[0]["uri"], [])

    def actions(self, uri: str) -> list[types.CodeAction]:
        """The legal next actions for what is shown on ``uri``."""
        return [
            types.CodeAction(
                title=action["title"],
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[self._diagnostic(file, code)],
                command=types.Command(
                    action["title"], action["command"], arguments=list(action["arguments"])
                ),
            )
            for file, code, actions in self._shown.values()
            if folder_key(file["uri"]) == folder_key(uri)
            for action in actions
        ]

    def _diagnostic(self, file: InterruptedFile, code: str) -> types.Diagnostic:
        start = types.Position(0, 0)
        return types.Diagnostic(
            range=types.Range(start, start),
            message=file["message"],
            severity=types.DiagnosticSeverity.Warning,
            source=self._source,
            code=code,
        )


def _code(status: Status) -> str:
    reason = status["blocked"]
    return INTERRUPTED if reason is None else reason["code"]


def _actions(status: Status) -> list[Action]:
    reason = status["blocked"]
    if reason is not None:
        return reason["actions"]
    argument: JsonObject = {"workspaceFolder": status["workspaceFolder"]}
    return [
        Action(title="Resume", command="perdure.resume", arguments=[argument]),
        Action(title="Abort the operation", command="perdure.abort", arguments=[argument]),
    ]
