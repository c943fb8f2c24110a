"""How the last run of a session ended: a function of its facts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perdure.core.facts import Fact
from perdure.core.records import WireError


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A run that failed, and no run has begun since.

    ``at`` is when it ended, ms since the epoch; ``compacted`` tells that a compaction has
    completed since, so that the next request is a shorter one.
    """

    operation_id: str
    error: WireError
    at: int
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class LastRun:
    """How the last run ended; neither is so before there is one, and while one is unfinished.

    ``completed`` tells that it has completed, and every operation since.
    """

    completed: bool = False
    failed: FailedRun | None = None


def last_run_after(before: LastRun, fact: Fact) -> LastRun:
    """Return what is so after ``fact``, when ``before`` was so before it."""
    match fact:
        case {"record": {"type": "runStarted"}}:
            return LastRun()
        case {"record": {"type": "operationFinished", "operationKind": "run"}}:
            return _after_run(fact)
        case {"record": {"type": "operationFinished", "outcome": "completed"}}:
            failed = before.failed
            return before if failed is None else LastRun(failed=replace(failed, compacted=True))
        case {"record": {"type": "operationFinished"}}:
            return LastRun(failed=before.failed)
        case _:
            return before


def _after_run(fact: Fact) -> LastRun:
    match fact:
        case {"record": {"outcome": "completed"}}:
            return LastRun(completed=True)
        case {
            "timestamp": int(at),
            "record": {
                "outcome": "failed",
                "operationId": str(operation_id),
                "error": {"code": str(code), "message": str(message)},
            },
        }:
            return LastRun(failed=FailedRun(operation_id, {"code": code, "message": message}, at))
        case _:
            return LastRun()
