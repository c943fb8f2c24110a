"""Code lenses on a session document: what may be done with the session now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lsprotocol import types

from perdure.json_types import JsonObject
from perdure.protocol.status import State, Status
from perdure.protocol.trouble import BlockedInfo

if TYPE_CHECKING:
    from perdure.agent.transcript import Document

_SHORT = {"perdure.resume": "Resume", "perdure.abort": "Abort"}


@dataclass(frozen=True, slots=True)
class _Lens:
    """``given`` is what the command needs besides the session."""

    title: str
    command: str
    given: JsonObject = field(default_factory=dict)


_RESUME = _Lens("Resume", "perdure.resume")
_ABORT = _Lens("Abort", "perdure.abort")
_COMPACT = _Lens("Compact", "perdure.compact")
_SHOW_LOG = _Lens("Show log", "perdure.showLog")
_OF_SESSION = (_COMPACT, _SHOW_LOG)
_LEGAL: dict[State, tuple[_Lens, ...]] = {
    "none": (),
    "idle": (_COMPACT,),
    "running": (_ABORT,),
    "waitingForApproval": (_ABORT,),
    "suspended": (_RESUME, _ABORT),
}


def lenses(document: Document, session_id: str, status: Status) -> list[types.CodeLens]:
    """Return the legal commands: those for the session at the top, the others at their turn.

    ``status`` is that of the session's folder, which may work on another session.
    """
    session: JsonObject = {
        "workspaceFolder": status["workspaceFolder"],
        "sessionId": session_id,
    }
    open_line, operation_id = _open_turn(document)
    legal = _here if status["sessionId"] == session_id else _elsewhere
    found = []
    for lens in (*legal(document, status), _SHOW_LOG):
        given = {**lens.given, **session}
        if lens.command == "perdure.abort" and operation_id is not None:
            given["operationId"] = operation_id
        line = 0 if lens in _OF_SESSION else open_line
        found.append(_code_lens(line or 0, lens, given))
    failed = status.get("failed")
    if failed is not None and status["sessionId"] == session_id:
        line = _line_of(document, failed["operationId"])
        for action in failed["actions"]:
            found.append(_code_lens(line, _Lens(action["title"], action["command"]), session))
    return found


def _here(document: Document, status: Status) -> Iterator[_Lens]:
    """The folder works on this session."""
    state = status["state"]
    if state in ("blocked", "unavailable"):
        yield from _of_problem(status["blocked"], shorten=state == "blocked")
    elif document.turns:
        yield from _LEGAL[state]


def _elsewhere(document: Document, status: Status) -> Iterator[_Lens]:
    """The folder works on another session; while that is finished, the commands open this one."""
    if status["state"] not in ("none", "idle"):
        return
    if _open_turn(document)[1] is not None:
        yield from _LEGAL["suspended"]
    elif document.turns:
        yield from _LEGAL["idle"]


def _of_problem(problem: BlockedInfo | None, *, shorten: bool) -> Iterator[_Lens]:
    for action in problem["actions"] if problem else []:
        title = action["title"]
        short = _SHORT.get(action["command"], title) if shorten else title
        given = [argument for argument in action["arguments"] if isinstance(argument, dict)]
        yield _Lens(short, action["command"], *given[:1])


def _line_of(document: Document, operation_id: str) -> int:
    """Return the line where the turn of an operation begins, 0 when it is not there yet."""
    for start, turn in zip(document.starts, document.turns, strict=True):
        if turn.operation_id == operation_id:
            return start
    return 0


def _open_turn(document: Document) -> tuple[int | None, str | None]:
    """Return line and operation of the unfinished turn, which is the last one that began."""
    for start, turn in zip(reversed(document.starts), reversed(document.turns), strict=True):
        if turn.operation_id is not None:
            unfinished = turn.state == "unfinished"
            return (start, turn.operation_id) if unfinished else (None, None)
    return None, None


def _code_lens(line: int, lens: _Lens, argument: JsonObject) -> types.CodeLens:
    place = types.Position(line, 0)
    command = types.Command(lens.title, lens.command, arguments=[argument])
    return types.CodeLens(types.Range(place, place), command)
