"""The table of a torture run, from what the tests reported (``tests.support.torture``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ALWAYS = ("points killed", "faults injected", "states explored", "bytes of corrupt input tried")
"""What stands first in the table, even when nothing of it was reported."""


@dataclass(frozen=True)
class Row:
    """One report of one test."""

    goal: int
    what: str
    count: int
    lost: int
    repeated: int


def read_rows(report: Path) -> list[Row]:
    """Return the reports in a file, none when there is no file."""
    if not report.exists():
        return []
    return [Row(**json.loads(line)) for line in report.read_bytes().splitlines()]


def effects(rows: Sequence[Row]) -> tuple[int, int]:
    """Return how many effects were lost and how many repeated."""
    return sum(row.lost for row in rows), sum(row.repeated for row in rows)


def table(rows: Sequence[Row]) -> str:
    """Return the table: what was tried, how often, and for which reliability goals."""
    counts: Counter[str] = Counter(dict.fromkeys(ALWAYS, 0))
    goals: dict[str, set[int]] = {}
    for row in rows:
        counts[row.what] += row.count
        goals.setdefault(row.what, set()).add(row.goal)
    lost, repeated = effects(rows)
    numbers = [*counts.items(), ("effects lost", lost), ("effects repeated", repeated)]
    return "\n".join(_line(what, number, goals.get(what, set())) for what, number in numbers)


def _line(what: str, number: int, goals: set[int]) -> str:
    shown = f"{what:<50} {number:>12,}"
    return f"{shown}  goal {', '.join(map(str, sorted(goals)))}" if goals else shown
