"""A ledger that was packed and unpacked is the same one, wherever its session stands."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pytest
from tests.support.fixtures.stages import (
    READ,
    accepted_run,
    attempting,
    calling,
    compacting,
    finished_run,
    summarising,
    tool_started,
)
from tests.support.log import Log, session

from perdure.core.codec import parse_line
from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.outcome import Refusal
from perdure.core.reducer.session import load_ledger
from perdure.json_types import JsonValue

STAGES = [
    pytest.param(session(), id="new"),
    pytest.param(session().user("a").user("b").joined(), id="two messages of a line"),
    pytest.param(accepted_run(), id="run accepted"),
    pytest.param(attempting(), id="attempting"),
    pytest.param(attempting().failed(), id="attempt failed"),
    pytest.param(calling(), id="calls"),
    pytest.param(tool_started(READ), id="tool started"),
    pytest.param(tool_started(READ).result(0).usage(), id="tool answered"),
    pytest.param(tool_started(READ).abort("tool", call=0), id="aborted"),
    pytest.param(finished_run().joined(), id="finished, two facts of a line"),
    pytest.param(compacting(), id="compaction accepted"),
    pytest.param(summarising(), id="summary asked for"),
    pytest.param(summarising().summary("short"), id="summary stored"),
    pytest.param(summarising().summary("short").finish().prompt(), id="run after a compaction"),
]


LONG = (
    tool_started(READ)
    .result(0)
    .attempt()
    .retry()
    .answer("done")
    .usage()
    .finish()
    .compact(keep=1)
    .attempt()
    .summary("short")
    .finish()
    .prompt()
    .abort()
    .finish("aborted")
)


def both(log: bytes, lines: int = 99) -> tuple[Ledger, Ledger]:
    """Return the ledger of the first lines as it was reduced, and back from a snapshot."""
    data = b"".join(log.splitlines(keepends=True)[:lines])
    reduced = load_ledger(data)
    assert isinstance(reduced, Ledger)
    return reduced, Ledger.unpack(
        reduced.pack(), lambda place: data[place : data.index(b"\n", place)]
    )


@pytest.mark.parametrize("log", STAGES)
def test_it_means_the_same(log: Log) -> None:
    reduced, unpacked = both(log.to_bytes())
    assert unpacked.state == reduced.state
    assert unpacked == reduced
    assert unpacked.fork() == reduced


@pytest.mark.parametrize("log", STAGES)
def test_a_state_does_not_ask_for_the_indexes(log: Log) -> None:
    data = log.to_bytes()
    reduced = load_ledger(data)
    assert isinstance(reduced, Ledger)
    packed = reduced.pack()._replace(indexes=b"not JSON")
    ledger = Ledger.unpack(packed, lambda place: data[place : data.index(b"\n", place)])
    assert ledger.state == reduced.state
    assert ledger.state.digests.of(0) == reduced.state.digests.of(0)
    with pytest.raises(orjson.JSONDecodeError):
        ledger.entry("")


@pytest.mark.parametrize("lines", range(1, len(LONG.lines)))
def test_it_takes_back_what_is_refused(lines: int) -> None:
    """All that follows in one transaction, whose last fact is there twice."""
    later = list(facts_of(LONG, lines))
    reduced, unpacked = both(LONG.to_bytes(), lines)
    with pytest.raises(Refusal):
        unpacked.apply([*later, later[-1]], length=100)
    assert unpacked == reduced
    assert unpacked.state == reduced.state
    assert unpacked.apply(later, length=100) == reduced.apply(later, length=100)


def facts_of(log: Log, start: int) -> Iterator[JsonValue]:
    """Yield the facts behind the first lines."""
    for line in log.to_bytes().splitlines()[start:]:
        value = parse_line(line)
        yield from value if isinstance(value, list) else [value]
