"""Durability levels: which transactions are synced before they are acknowledged.

``process``  written to the operating system: survives the death of the process
``barrier``  also synced where a power cut could otherwise double an effect or take back a word
             given: an operation accepted, a ``never`` tool about to start, an abort about to
             signal, a terminal reported; everything else rides along with the next of them
``full``     every transaction synced
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from perdure.core.facts import Fact

Level: TypeAlias = Literal["process", "barrier", "full"]
LEVELS: tuple[Level, ...] = get_args(Level)

_BARRIERS = frozenset({"runStarted", "compactionStarted", "abortRequested", "operationFinished"})


def needs_sync(facts: Sequence[Fact], level: Level) -> bool:
    """Return whether this transaction must be on stable storage before it is acknowledged."""
    if level == "barrier":
        return any(map(_is_barrier, facts))
    return level == "full"


def _is_barrier(fact: Fact) -> bool:
    if fact["kind"] != "record":
        return False
    record = fact["record"]
    if record["type"] == "toolStarted":
        return record["replay"] == "never"
    return record["type"] in _BARRIERS
