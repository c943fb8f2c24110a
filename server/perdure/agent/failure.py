"""What a failed run says of itself, and how the user may go on after it."""

from __future__ import annotations

import time

from perdure.core.last_run import FailedRun
from perdure.json_types import JsonValue
from perdure.protocol.trouble import Action, FailedInfo
from perdure.providers.advice import in_seconds, is_too_long, seconds_to_wait

_SAME_DAY_SECONDS = 12 * 60 * 60


def failed_info(failed: FailedRun, folder: str) -> FailedInfo:
    """Return why the run failed with the actions that go on, best first.

    A context that was too long is compacted first, unless that has happened since.
    """
    message = failed.error["message"]
    actions = [_action(_continue_title(failed), "perdure.continue", folder)]
    if is_too_long(message) and not failed.compacted:
        actions.insert(0, _action("Compact and continue", "perdure.compactAndContinue", folder))
    return {
        "operationId": failed.operation_id,
        "code": failed.error["code"],
        "message": message,
        "actions": actions,
    }


def _continue_title(failed: FailedRun) -> str:
    """Name the wait that the provider asked for, and its end in local time."""
    seconds = seconds_to_wait(failed.error["message"])
    if seconds is None:
        return "Continue"
    form = "%H:%M:%S" if seconds < _SAME_DAY_SECONDS else "%Y-%m-%d %H:%M"
    end = time.strftime(form, time.localtime(failed.at / 1000 + seconds))
    return f"Continue (wait {in_seconds(seconds)}, until {end})"


def _action(title: str, command: str, folder: str) -> Action:
    argument: JsonValue = {"workspaceFolder": folder}
    return {"title": title, "command": command, "arguments": [argument]}
