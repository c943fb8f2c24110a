"""Three times the same call that can not be executed ends the run."""

from __future__ import annotations

import pytest
from tests.support.log import Log, session

from perdure.agent.guard import going_in_circles
from perdure.core.reducer import Reduced, reduce_session


def bad_turns(*arguments: str, name: str = "read") -> Log:
    """A run whose answers call ``name`` with these argument texts, none of them executed."""
    log = session().prompt()
    for text in arguments:
        log.attempt().calls((name, text)).synthetic(0, "invalidArguments")
    return log


def stuck(log: Log) -> bool:
    """What the guard says of a log."""
    reduced = reduce_session(log.to_bytes())
    assert isinstance(reduced, Reduced)
    return going_in_circles(reduced.state) is not None


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (session().prompt(), False),
        (bad_turns("{", "{"), False),
        (bad_turns("{", "{", "{"), True),
        (bad_turns("{", "[", "{"), False),
        (bad_turns("[", "{", "{", "{"), True),
        (bad_turns("{", "{").attempt().calls(("read", {"path": "a"})).started(0).result(0), False),
    ],
)
@pytest.mark.hazard("Three times the same bad call: stop")
def test_going_in_circles(log: Log, expected: bool) -> None:
    assert stuck(log) is expected
