"""Exit codes of the command line."""

from __future__ import annotations

OK = 0
"""The run completed; the command did what was asked."""

FAILED = 1
"""The run failed; a file is not ok; something prevents work."""

USAGE = 2
"""The command line is wrong; nothing was done."""

BLOCKED = 3
"""Recovery is blocked: a person has to decide."""

UNAVAILABLE = 4
"""The session cannot be worked on now: in use, corrupt, unwritable, or unfinished."""

INTERRUPTED = 130
"""Ctrl-C: the operation was aborted durably."""
