"""Which code lenses a session document has, and where."""

from __future__ import annotations

import pytest
from tests.support.log import Log, session
from tests.support.wire import uid
from tests.unit.agent.transcripts import document

from perdure.lsp.lenses import lenses
from perdure.protocol.status import State, Status
from perdure.protocol.trouble import BlockedInfo

SESSION = uid("session", 1)
LOG = "Show log@0"

IDLE = session().prompt().attempt().answer("done").finish()
OPEN = session().prompt().attempt().answer("done").finish().prompt("next")
EMPTY = session()


def _problem(*actions: tuple[str, str]) -> BlockedInfo:
    return {
        "code": "some_code",
        "title": "Why",
        "details": [],
        "actions": [
            {"title": title, "command": f"perdure.{command}", "arguments": [{"own": command}]}
            for title, command in actions
        ],
    }


RESTORE = _problem(("Resume (after restoring)", "resume"), ("Abort the operation", "abort"))
CHANGED = _problem(("Resume with the recorded configuration", "resumeRecorded"))
EXHAUSTED = _problem(("Abort the operation", "abort"))
IN_USE = _problem(("Try again", "resume"))
FULL = _problem(("Resume", "resume"), ("Abort the operation", "abort"))


def _status(state: State, problem: BlockedInfo | None, session_id: str | None) -> Status:
    return {  # type: ignore[typeddict-item]
        "workspaceFolder": "file:///work",
        "sessionId": session_id,
        "state": state,
        "blocked": problem,
    }


def _shown(log: Log, status: Status) -> list[str]:
    found = lenses(document(log), SESSION, status)
    return [f"{lens.command.title}@{lens.range.start.line}" for lens in found if lens.command]


@pytest.mark.parametrize(
    ("log", "state", "problem", "expected"),
    [
        (IDLE, "idle", None, ["Compact@0"]),
        (EMPTY, "idle", None, []),
        (OPEN, "running", None, ["Abort@14"]),
        (OPEN, "waitingForApproval", None, ["Abort@14"]),
        (OPEN, "suspended", None, ["Resume@14", "Abort@14"]),
        (OPEN, "blocked", RESTORE, ["Resume@14", "Abort@14"]),
        (OPEN, "blocked", EXHAUSTED, ["Abort@14"]),
        (OPEN, "blocked", CHANGED, ["Resume with the recorded configuration@14"]),
        (OPEN, "unavailable", IN_USE, ["Try again@14"]),
        (IDLE, "unavailable", IN_USE, ["Try again@0"]),
        (OPEN, "unavailable", FULL, ["Resume@14", "Abort the operation@14"]),
    ],
)
def test_the_session_at_work_offers_what_is_legal(
    log: Log, state: State, problem: BlockedInfo | None, expected: list[str]
) -> None:
    assert _shown(log, _status(state, problem, SESSION)) == [*expected, LOG]


@pytest.mark.parametrize(
    ("log", "state", "expected"),
    [
        (IDLE, "none", ["Compact@0"]),
        (IDLE, "idle", ["Compact@0"]),
        (OPEN, "idle", ["Resume@14", "Abort@14"]),
        (OPEN, "running", []),
        (IDLE, "suspended", []),
        (OPEN, "blocked", []),
        (EMPTY, "idle", []),
    ],
)
def test_another_session_offers_what_opens_it_while_the_folder_is_free(
    log: Log, state: State, expected: list[str]
) -> None:
    assert _shown(log, _status(state, RESTORE, uid("session", 2))) == [*expected, LOG]


def test_the_commands_name_folder_session_and_the_operation_to_abort() -> None:
    found = lenses(document(OPEN), SESSION, _status("suspended", None, SESSION))
    arguments = [lens.command.arguments for lens in found if lens.command]
    named = {"workspaceFolder": "file:///work", "sessionId": SESSION}
    operation = document(OPEN).turns[1].operation_id
    assert arguments == [[named], [{**named, "operationId": operation}], [named]]


def test_an_action_keeps_its_own_arguments() -> None:
    first, _ = lenses(document(OPEN), SESSION, _status("blocked", CHANGED, SESSION))
    assert first.command is not None
    assert first.command.arguments == [
        {"own": "resumeRecorded", "workspaceFolder": "file:///work", "sessionId": SESSION}
    ]


def test_a_failed_run_offers_to_continue_at_its_own_turn() -> None:
    log = session().prompt().attempt().answer("done").finish().prompt("next").attempt().failed()
    log = log.finish("failed").compact(keep=1).attempt().summary().finish()
    failed = document(log).turns[1]
    assert failed.operation_id is not None
    status = _status("idle", None, SESSION)
    status["failed"] = {
        "operationId": failed.operation_id,
        "code": "model_error",
        "message": "Why",
        "actions": [{"title": "Continue", "command": "perdure.continue", "arguments": [{}]}],
    }
    assert _shown(log, status) == ["Compact@0", LOG, "Continue@14"]
    status["sessionId"] = uid("session", 2)
    assert _shown(log, status) == ["Compact@0", LOG]
