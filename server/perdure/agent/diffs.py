"""Unified diffs for people: bounded, and never slow."""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

MAX_COMPARED = 10_000
"""Lines on both sides together; comparing more would take seconds."""
MAX_SHOWN = 400
"""Lines of a diff."""

TOO_LARGE = "(too large to compare)"
CUT = "(more is different)"


def unified(before: str, after: str, *, old: str, new: str) -> str:
    """Return the unified diff of two texts named ``old`` and ``new``, empty when they are equal.

    Lines end with a line feed. A text without one at its end is marked as ``diff`` does.
    """
    if before == after:
        return ""
    first, second = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(first) + len(second) > MAX_COMPARED:
        return f"--- {old}\n+++ {new}\n{TOO_LARGE}\n"
    lines = unified_diff(first, second, old, new)
    shown = [_ended(line) for line in islice(lines, MAX_SHOWN)]
    if next(lines, None) is not None:
        shown.append(f"{CUT}\n")
    return "".join(shown)


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
