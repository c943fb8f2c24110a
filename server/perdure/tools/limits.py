"""How much of what was found the model is shown, and how it is told of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MAX_BYTES = 50 * 1024


def bounded(lines: Iterable[str], limit: int) -> list[str]:
    """Return the first ``limit`` lines, fewer where these are more than 50 KB."""
    shown: list[str] = []
    room = MAX_BYTES
    for line in islice(lines, limit):
        room -= len(line.encode("utf-8", "replace")) + 1
        if room < 0:
            break
        shown.append(line)
    return shown


def rest(count: int, things: str, *, complete: bool, advice: str) -> list[str]:
    """Return the note that says how many ``things`` are not shown, or none.

    ``complete`` tells that everything was looked at.
    """
    if complete and count == 0:
        return []
    if complete:
        return [f"[{count} more {things}. {advice}]"]
    return [f"[At least {count} more {things}; the search was stopped before its end. {advice}]"]
