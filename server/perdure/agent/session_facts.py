"""The facts of a session file, for those who show it."""

from __future__ import annotations

from typing import cast

from perdure.core.codec import parse_line
from perdure.core.facts import Fact
from perdure.core.framing import lines


def session_facts(data: bytes) -> list[Fact]:
    """Return the facts in the committed lines of a session that reduces without a fault.

    Only a file that reduced has facts that are what their types say.
    """
    return facts_in(data[data.find(b"\n") + 1 :])


def facts_in(data: bytes) -> list[Fact]:
    """Return the facts in some committed lines after the first of such a session."""
    if b"\n" not in data:
        return []
    facts: list[Fact] = []
    for line in lines(data):
        value = parse_line(line.content)
        facts += cast("list[Fact]", value if isinstance(value, list) else [value])
    return facts
