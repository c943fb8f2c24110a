"""Whole operations in a log, for what is read from its end."""

from __future__ import annotations

from tests.support.log import Log, session


def run(outcome: str = "completed", log: Log | None = None) -> Log:
    """Add a run that ended so, to a new log unless one is given."""
    return (log or session()).prompt().attempt().answer("ok").finish(outcome)


def compaction(log: Log, outcome: str = "completed") -> Log:
    """Add a compaction that ended so."""
    started = log.compact(keep=1).attempt()
    if outcome == "completed":
        return started.summary().finish()
    return started.failed().finish(outcome)
