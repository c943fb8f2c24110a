"""Code lenses on a session document: what may be done with the session now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from perdure.json_types import JsonObject
from perdure.protocol.types import BlockedInfo, State, Status

if TYPE_CHECKING:
    from perdure.agent.transcript import Document

_SHORT = {"perdure.resume": "Resume", "perdure.abort": "Abort"}


@dataclass(frozen=True, slots=True)
class _Lens:
    title: str
    command: str


_RESUME = _Lens("Resume", "perdure.resume")
_ABORT = _Lens("Abort", "perdure.abort")
_COMPACT = _Lens("Compact", "perdure.compact")
_SHOW_LOG = _Lens("Show log", "perdure.showLog")
_LEGAL: dict[State, tuple[_Lens, ...]] = {
    "none": (),
    "idle": (_COMPACT,),
    "running": (_ABORT,),
    "waitingForApproval": (_ABORT,),
    "suspended": (_RESUME, _ABORT),
}


def lenses(document: Document, session_id: str, status: Status) -> list[types.CodeLens]:
    """Return the legal commands: those for the session at the top, the others at its open turn.

    ``status`` is that of the session's folder, which may work on another session.
    """
    argument: JsonObject = {
        "workspaceFolder": status["workspaceFolder"],
        "sessionId": session_id,
    }
    open_line, operation_id = _open_turn(document)
    legal = _here if status["sessionId"] == session_id else _elsewhere
    found = []
    for lens in (*legal(document, status), _SHOW_LOG):
        given = dict(argument)
        if lens.command == "perdure.abort" and operation_id is not None:
            given["operationId"] = operation_id
        line = open_line if lens.command in _SHORT and open_line is not None else 0
        found.append(_code_lens(line, lens, given))
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
        yield _Lens(short, action["command"])


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
