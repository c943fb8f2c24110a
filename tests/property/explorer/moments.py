"""The moments at which the laws are asked, and what is known then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tests.property.explorer.logs import Log
from tests.property.explorer.requests import Request
from tests.property.explorer.stage import Rest

from perdure.agent.configuration import Configuration
from perdure.core.facts import Fact
from perdure.core.messages import Message
from perdure.core.state import ToolIntent
from perdure.errors import RejectedTransaction

Call: TypeAlias = tuple[str, int]
"""A call for ever: assistant entry and index."""


@dataclass(frozen=True, slots=True)
class Requested:
    """A loop asks something of the world; ``configuration`` is None when it can only abort."""

    request: Request
    turn_began: Log
    log: Log
    configuration: Configuration | None


@dataclass(frozen=True, slots=True)
class Committed:
    """A transaction is in the log."""

    before: Log
    after: Log
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Refused:
    """A transaction of the loop was refused."""

    error: RejectedTransaction
    turn_began: Log
    log: Log


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A prompt, a compaction or an abort was refused where it was possible."""

    error: RejectedTransaction


@dataclass(frozen=True, slots=True)
class Sent:
    """A request goes to the model; ``sent_before`` are the messages of the step's attempt 1."""

    messages: Sequence[Message]
    sent_before: Sequence[Message] | None
    log: Log


@dataclass(frozen=True, slots=True)
class Ran:
    """A tool takes effect; ``ran`` are the calls of ``never`` tools that had theirs before."""

    intent: ToolIntent
    ran: frozenset[Call]
    turn_began: Log
    log: Log
    configuration: Configuration


@dataclass(frozen=True, slots=True)
class Told:
    """The user is told: an operation is accepted, an abort is under way."""

    log: Log


@dataclass(frozen=True, slots=True)
class Reopened:
    """A session with an unfinished operation is opened by a new process."""

    log: Log


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A loop plans again after a turn."""

    before: Log
    log: Log


@dataclass(frozen=True, slots=True)
class Rested:
    """A loop ended. ``again`` is how the next one ends, None when that asks for something."""

    rest: Rest
    log: Log
    configuration: Configuration | None
    again: Rest | None


MOST_TURNS = 6
"""So many turns end an operation that is reopened and left alone: three calls, a step, a rest."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """An operation was reopened and nothing more went wrong; it took ``turns``.

    No more than one turn too many is taken.
    """

    turns: int


Moment: TypeAlias = (
    Requested
    | Committed
    | Refused
    | CommandRefused
    | Sent
    | Ran
    | Told
    | TurnBegan
    | Rested
    | Reopened
    | Recovered
)


def call_of(intent: ToolIntent) -> Call:
    """Return the call that an intent is for."""
    return intent.assistant_entry_id, intent.tool_index
