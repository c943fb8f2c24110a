"""Three times the same call that is not executed ends the run."""

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


def denied_turns(*results: str) -> Log:
    """A run whose answers make the same call, with these results."""
    log = session().prompt()
    for text in results:
        log.attempt().calls(("bash", {"command": "rm f"})).started(0).result(0, text, kind="error")
    return log


DENIED = "Error: The user refused this call; it was not executed."
WITH_WORDS = f"{DENIED} The user wrote: no!"
UNASKED = "Error: Nobody could be asked whether this call may run; it was not executed. More."
FORBIDDEN = "Error: The user's settings do not allow the tool bash; it was not executed."


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
        (denied_turns(DENIED, DENIED), False),
        (denied_turns(DENIED, WITH_WORDS, FORBIDDEN), True),
        (denied_turns(UNASKED, UNASKED, UNASKED), True),
        (denied_turns(DENIED, DENIED, "Error: no such file"), False),
        (denied_turns("Error: no such file", DENIED, DENIED), False),
        (bad_turns("{", "{").attempt().calls(("read", {"path": "a"})).started(0).result(0), False),
    ],
)
@pytest.mark.hazard("Three times the same bad call: stop")
def test_going_in_circles(log: Log, expected: bool) -> None:
    assert stuck(log) is expected
