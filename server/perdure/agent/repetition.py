"""Whether the model asks for the same call again and again, though it is executed each time."""

from __future__ import annotations

from itertools import takewhile

from perdure.core.constants import SYNTHETIC_TEXT
from perdure.core.state import Run, SessionState, ToolIntent

IN_A_ROW = 3


def repeats(state: SessionState, intent: ToolIntent) -> bool:
    """Tell whether ``intent`` would be the same call for at least the third time in a row.

    What counts are the calls of the present run, with the same tool and equal arguments. Those
    that a crash interrupted do not count: there is a reason to repeat them.
    """
    run = state.operation
    if not isinstance(run, Run):
        return False
    row = list(takewhile(lambda before: _is_same(before, intent), reversed(run.intents)))
    if len(row) < IN_A_ROW - 1:
        return False
    interrupted = _interrupted(state, run)
    return sum(before.result_entry_id not in interrupted for before in row) >= IN_A_ROW - 1


def _is_same(one: ToolIntent, other: ToolIntent) -> bool:
    return (one.tool_name, one.arguments) == (other.tool_name, other.arguments)


def _interrupted(state: SessionState, run: Run) -> frozenset[str]:
    """Return the ids of the run's results that say that nobody knows the outcome."""
    entries = zip(reversed(state.source_ids), reversed(state.transcript), strict=True)
    own = takewhile(lambda entry: entry[0] != run.input_entry_id, entries)
    return frozenset(
        entry_id
        for entry_id, message in own
        if message["role"] == "tool" and message["content"] == SYNTHETIC_TEXT["interrupted"]
    )
