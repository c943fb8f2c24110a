"""Why work stands still, as the client shows it: the planner's reasons and the shell's own."""

from __future__ import annotations

from pathlib import Path

from perdure.agent.configuration import Configuration
from perdure.agent.explained import explained
from perdure.core.explain import NextAction, explain
from perdure.core.plans import Blocked
from perdure.core.state import SessionState
from perdure.errors import PerdureError, SessionCorrupt
from perdure.json_types import JsonValue
from perdure.protocol.trouble import Action, BlockedInfo, Detail

_TITLES: dict[NextAction, tuple[str, str]] = {
    "restoreThenResume": ("Resume (after restoring what was recorded)", "perdure.resume"),
    "resumeRecorded": ("Resume with the recorded configuration", "perdure.resumeRecorded"),
    "showChanged": ("Show what changed", "perdure.showChanged"),
    "relocate": ("Relocate to this folder", "perdure.relocate"),
    "abort": ("Abort the operation", "perdure.abort"),
}
_UNAVAILABLE: dict[str, tuple[str, ...]] = {
    "session_in_use": ("Take over", "Try again"),
    "storage_full": ("Resume", "Abort the operation"),
    "storage_failed": ("Resume",),
    "provider_not_configured": ("Resume", "Abort the operation"),
    "session_corrupt": ("Start a new session",),
    "unsupported_version": ("Start a new session",),
}
_COMMANDS = {
    "Take over": "perdure.takeOver",
    "Try again": "perdure.resume",
    "Resume": "perdure.resume",
    "Abort the operation": "perdure.abort",
    "Start a new session": "perdure.newSession",
}


def blocked_info(
    plan: Blocked,
    state: SessionState,
    configuration: Configuration,
    *,
    folder: str,
    data: Path | None,
) -> BlockedInfo:
    """Explain a blocked plan, field by field, with the legal next actions as commands.

    ``data`` is the session's own folder, which may hold what was recorded.
    """
    explanation = explain(plan, state, configuration.current, configuration.snapshot)
    return {
        "code": plan.reason,
        "title": explanation.title,
        "details": explained(explanation.details, configuration, data),
        "actions": [_action(*_TITLES[action], folder) for action in explanation.actions],
    }


def unavailable_info(error: PerdureError, folder: str) -> BlockedInfo:
    """Explain a condition of the shell that stops work without touching the log."""
    titles = _UNAVAILABLE.get(error.code, ("Resume", "Abort the operation"))
    return {
        "code": error.code,
        "title": str(error),
        "details": _details(error),
        "actions": [_action(title, _COMMANDS[title], folder) for title in titles],
    }


def _details(error: PerdureError) -> list[Detail]:
    if not isinstance(error, SessionCorrupt):
        return []
    where = f"line {error.line}, byte {error.offset}"
    return [Detail(field=where, recorded=error.reason, current="nothing was changed")]


def _action(title: str, command: str, folder: str) -> Action:
    argument: JsonValue = {"workspaceFolder": folder}
    return {"title": title, "command": command, "arguments": [argument]}
