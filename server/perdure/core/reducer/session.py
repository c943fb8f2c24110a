"""Bytes to state: the reducer's entrance (session-format sections 2 to 12).

A line is completely judged before the next one is looked at, and the first fault ends the
reduction. Reducing a file and applying its lines one after the other are the same thing.
"""

from __future__ import annotations

from perdure.core.codec import MalformedJson, parse_line
from perdure.core.framing import FrameFault, Line, lines, next_line
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Corrupt, Reduced, Refusal


def reduce_session(data: bytes) -> Reduced | Corrupt:
    """Return what the bytes of a session file mean; never raises, whatever they are."""
    ledger = load_ledger(data)
    return ledger if isinstance(ledger, Corrupt) else Reduced(ledger.state)


def load_ledger(data: bytes) -> Ledger | Corrupt:
    """Reduce a session file to its ledger; a torn tail is ignored."""
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
