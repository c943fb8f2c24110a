"""Judge a session file in both ways at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import pytest
from tests.support.log import Log

from perdure.core.reducer import Corrupt, Ledger, Reduced, apply, load_ledger, reduce_session

Row: TypeAlias = tuple[str, Callable[[], Log], str]
"""What the row says, a log whose last fact breaks it, and the code."""


def judge(data: bytes) -> Reduced | Corrupt:
    """Reduce the whole file and apply it line by line; both must come to the same.

    A line that is refused must leave the ledger as it was.
    """
    whole = reduce_session(data)
    committed = [line + b"\n" for line in data.split(b"\n")[:-1]]
    ledger = load_ledger(committed[0])
    stepwise: Reduced | Corrupt = reduce_session(committed[0])
    for line in committed[1:]:
        assert isinstance(ledger, Ledger)
        before = ledger.fork()
        stepwise = apply(ledger, line)
        if isinstance(stepwise, Corrupt):
            assert ledger == before
            assert ledger.state == before.state
            break
    assert stepwise == whole
    return whole


def assert_refused(log: Log, code: str) -> None:
    """Assert that the last fact of the log is refused, and nothing before it."""
    result = judge(log.to_bytes())
    assert isinstance(result, Corrupt)
    assert (result.code, result.line, result.seq) == (code, len(log.lines), log.seq)


def assert_accepted(log: Log) -> Reduced:
    """Assert that the whole log is accepted."""
    result = judge(log.to_bytes())
    assert isinstance(result, Reduced), result
    return result


def rows(table: Iterable[Row]) -> pytest.MarkDecorator:
    """Parametrise a test by ``log`` and ``code``."""
    return pytest.mark.parametrize(
        ("make", "code"), [pytest.param(make, code, id=name) for name, make, code in table]
    )
