"""Which variables of the environment hold keys beyond the known ones: the settings name them.

A process learns them while it works, and whatever writes about its work must not show them.
"""

from __future__ import annotations

_named: set[str] = set()


def remember(name: str) -> None:
    """Have the value of this variable taken out of what is written from now on."""
    _named.add(name)


def remembered() -> frozenset[str]:
    """Return all names so far."""
    return frozenset(_named)
