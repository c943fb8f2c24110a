"""The laws: what must hold whenever something happens, whatever happened before.

Each law looks at one kind of moment and returns whether it holds. They are written down from the
promises of the format, not from the code: none of them asks the planner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.property.explorer import laws_of_logs as logs
from tests.property.explorer import laws_of_work as work
from tests.property.explorer.moments import (
    CommandRefused,
    Committed,
    Moment,
    Ran,
    Recovered,
    Refused,
    Reopened,
    Requested,
    Rested,
    Sent,
    Told,
    TurnBegan,
)

_LAWS: Mapping[type[Moment], tuple[Callable[..., bool], ...]] = {
    Requested: (work.blocked_does_nothing, work.abort_starts_nothing),
    Sent: (
        work.transcript_is_legal,
        work.retry_sends_the_same,
        work.attempt_is_recorded_first,
    ),
    Ran: (
        work.never_tool_runs_once,
        work.intent_is_recorded_first,
        work.never_intent_survives_power_cut,
        work.safe_tool_keeps_its_identity,
    ),
    Committed: (
        logs.abort_wins,
        logs.terminal_leaves_nothing_open,
        logs.new_step_leaves_no_call_open,
    ),
    Refused: (logs.plan_is_admissible,),
    CommandRefused: (logs.command_is_accepted,),
    Told: (logs.word_survives_power_cut,),
    TurnBegan: (logs.turn_makes_progress,),
    Rested: (
        logs.loop_expects_everything,
        logs.loop_ends_idle_or_blocked,
        logs.blocked_has_its_reason,
        logs.second_resume_does_nothing,
        logs.terminal_survives_power_cut,
    ),
    Reopened: (logs.bytes_mean_the_same,),
    Recovered: (logs.recovery_converges,),
}

LAWS = frozenset(law.__name__ for laws in _LAWS.values() for law in laws)
"""The names of all laws."""


class Broken(Exception):
    """A law does not hold. ``way`` are the names of moves within the present one."""

    def __init__(self, law: str, promise: str) -> None:
        super().__init__(f"{law}: {promise}")
        self.law = law
        self.way: tuple[str, ...] = ()


def check(moment: Moment, *, watched: str | None = None) -> None:
    """Ask the laws about this moment, or only the one that is ``watched``; raises ``Broken``."""
    for law in _LAWS[type(moment)]:
        if watched in (None, law.__name__) and not law(moment):
            raise Broken(law.__name__, law.__doc__ or "")
