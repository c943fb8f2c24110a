"""Ending a run whose model repeats, answer after answer, calls that are not executed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from perdure.agent.permission import NOBODY_ASKED, POLICY_DENIES, USER_DENIES
from perdure.core.constants import SYNTHETIC_TEXT
from perdure.core.messages import Message, calls_of
from perdure.core.records import WireError
from perdure.core.state import SessionState

LIMIT = 3
"""So many identical answers, of which nothing was executed, end the run."""

_NOT_EXECUTED = (SYNTHETIC_TEXT["invalidArguments"], SYNTHETIC_TEXT["unknownTool"])
_DENIED = (f"Error: {USER_DENIES}", f"Error: {NOBODY_ASKED}")
_FORBIDDEN = re.compile(re.escape(f"Error: {POLICY_DENIES}").replace(r"\{name\}", r"\S+"))


def going_in_circles(state: SessionState) -> WireError | None:
    """Return why the run should end instead of asking once more, or None.

    A pure function of the transcript, so a reopened run decides as the uninterrupted one does.
    """
    turns = _last_turns(state.transcript)
    if len(turns) < LIMIT or any(turn != turns[0] for turn in turns):
        return None
    name = turns[0][0][0]
    return {
        "code": "repeated_invalid_call",
        "message": f"the model repeated the same call of {name} {LIMIT} times, "
        "and it was not executed",
    }


def _last_turns(transcript: Sequence[Message]) -> list[list[tuple[str, str]]]:
    """Return name and arguments of the calls of the last answers, newest first.

    Ends at the first answer of which any call was executed.
    """
    turns: list[list[tuple[str, str]]] = []
    for message in reversed(transcript):
        if message["role"] == "tool" and _is_of_no_call(message["content"]):
            continue
        calls = [(c["function"]["name"], c["function"]["arguments"]) for c in calls_of(message)]
        if not calls or len(turns) == LIMIT:
            break
        turns.append(calls)
    return turns


def _is_of_no_call(result: str) -> bool:
    """Whether a result says that the call could not or may not be executed."""
    is_denied = result.startswith(_DENIED) or _FORBIDDEN.fullmatch(result) is not None
    return is_denied or result in _NOT_EXECUTED
