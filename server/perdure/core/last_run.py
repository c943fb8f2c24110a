"""Whether the last run of a session failed: a function of its facts. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from perdure.core.facts import Fact, WireError


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


def failed_run(before: FailedRun | None, fact: Fact) -> FailedRun | None:
    """Return what is so after ``fact``, when ``before`` was so before it."""
    match fact:
        case {"record": {"type": "runStarted"}}:
            return None
        case {
            "timestamp": int(at),
            "record": {
                "type": "operationFinished",
                "operationKind": "run",
                "outcome": "failed",
                "operationId": str(operation_id),
                "error": {"code": str(code), "message": str(message)},
            },
        }:
            return FailedRun(operation_id, {"code": code, "message": message}, at)
        case {
            "record": {
                "type": "operationFinished",
                "operationKind": "compaction",
                "outcome": "completed",
            }
        } if before is not None:
            return replace(before, compacted=True)
        case _:
            return before
