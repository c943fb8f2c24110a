"""One more line, applied to a ledger: what the whole file with this line at its end would be."""

from __future__ import annotations

import pytest
from tests.support.fixtures.stages import attempting

from perdure.core.reducer import Ledger, Reduced, apply, load_ledger, reduce_session

LOG = attempting().to_bytes()
ANSWER = attempting().answer("done").to_bytes()[len(LOG) :]


def ledger() -> Ledger:
    loaded = load_ledger(LOG)
    assert isinstance(loaded, Ledger)
    return loaded


def test_a_legal_line() -> None:
    applied = apply(ledger(), ANSWER)
    assert isinstance(applied, Reduced)
    assert applied == reduce_session(LOG + ANSWER)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"{}\r\n",
        b"\xff\n",
        b"\xed\xa0\x80\n",
        b"{\n",
        b"{}\n",
        ANSWER.replace(b":4,", b":5,"),
    ],
    ids=["blank", "CRLF", "no UTF-8", "a surrogate", "no JSON", "no fact", "wrong seq"],
)
def test_a_bad_line_changes_nothing(line: bytes) -> None:
    changed = ledger()
    assert apply(changed, line) == reduce_session(LOG + line)
    assert not isinstance(reduce_session(LOG + line), Reduced)
    assert changed == ledger()


@pytest.mark.parametrize("data", [b"", ANSWER[:-1], ANSWER + ANSWER, b"\n\n"])
def test_what_is_not_one_line(data: bytes) -> None:
    with pytest.raises(ValueError, match="only LF"):
        apply(ledger(), data)
