"""Bytes to state: the reducer's entrance (session-format sections 2 to 12).

A line is completely judged before the next one is looked at, and the first fault ends the
reduction. Reducing a file and applying its lines one after the other are the same thing.

A file in which nothing is wrong needs no such order: what our own writer left is read many lines at
once. Where that does not succeed, the lines are judged in their turn, from the first one on.
"""

from __future__ import annotations

from perdure.core.codec import MalformedJson, parse_line
from perdure.core.framing import FrameFault, Line, lines, next_line
from perdure.core.lines_at_once import parse_lines, parts
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt, Reduced, Refusal


def reduce_session(data: bytes) -> Reduced | Corrupt:
    """Return what the bytes of a session file mean; never raises, whatever they are."""
    ledger = load_ledger(data)
    return ledger if isinstance(ledger, Corrupt) else Reduced(ledger.state)


def load_ledger(data: bytes) -> Ledger | Corrupt:
    """Reduce a session file to its ledger; a torn tail is ignored."""
    return _load_at_once(data) or _load_line_by_line(data)


def _load_at_once(data: bytes) -> Ledger | None:
    """Return the ledger of a file that our own writer left, if there is nothing wrong with it."""
    ledger: Ledger | None = None
    for part in parts(data):
        values = parse_lines(part)
        if values is None:
            return None
        try:
            if ledger is None:
                ledger = Ledger.create(values.pop(0), length=len(part.pop(0)) + 1)
            ledger.enter_all(values, part)
        except Refusal:
            return None
    return ledger


def _load_line_by_line(data: bytes) -> Ledger | Corrupt:
    try:
        committed = lines(data)
        line = next(committed)
        ledger = Ledger.create(parse_line(line.content), length=line.length)
        for line in committed:
            ledger.enter(parse_line(line.content), length=line.length)
    except FrameFault as fault:
        return Corrupt(fault.code, fault.line, fault.offset)
    except (MalformedJson, Refusal) as error:
        return _corrupt(line, error)
    return ledger


def apply(ledger: Ledger, data: bytes) -> Reduced | Corrupt:
    """Apply the next line, given with its LF, to the ledger in place.

    Gives what ``reduce_session`` gives for the whole file with this line at its end, at the cost
    of this line alone. When it is Corrupt, the ledger is as before. Raises ValueError when
    ``data`` is not exactly one line.
    """
    mark = ledger.mark()
    try:
        line = next_line(data, number=ledger.line_count + 1, offset=ledger.state.repaired_length)
        ledger.enter(parse_line(line.content), length=line.length)
    except FrameFault as fault:
        return Corrupt(fault.code, fault.line, fault.offset)
    except (MalformedJson, Refusal) as error:
        ledger.rollback(mark)
        return _corrupt(line, error)
    return Reduced(ledger.state)


def _corrupt(line: Line, error: MalformedJson | Refusal) -> Corrupt:
    if isinstance(error, Refusal):
        return Corrupt(error.code, line.number, line.offset, error.seq)
    return Corrupt("MALFORMED_JSON", line.number, line.offset)
