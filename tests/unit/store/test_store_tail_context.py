"""The size of the context is told by the end of the log, as far back as is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import CallSpec, Log, session
from tests.unit.store.sessions import write_session

from perdure.core.facts import Fact
from perdure.store.tail import facts_of_the_context

BASH: CallSpec = ("bash", {"command": "make"})
FAR = 'far away: "usage", "stepAttempt"'
MEASURED = ["stepAttempt", "usage"]
TELLING = {*MEASURED, "compaction"}
"""Other records that share a line with these, or a word, change nothing."""


def measured_run() -> Log:
    return session().user(FAR).prompt().attempt().answer("done").usage().finish()


def compacted_run() -> Log:
    return measured_run().compact(keep=1).attempt().usage().summary().finish()


@pytest.mark.parametrize(
    ("log", "compacted", "expected"),
    [
        pytest.param(session(), False, [], id="new"),
        pytest.param(session().user(FAR), False, [], id="only words"),
        pytest.param(measured_run(), False, MEASURED, id="one run"),
        pytest.param(measured_run().joined(4), False, MEASURED, id="one line"),
        pytest.param(
            session().prompt().attempt().retry().answer("a").usage(), False, MEASURED, id="retried"
        ),
        pytest.param(
            measured_run().prompt().attempt().answer("a").usage(), False, MEASURED, id="last run"
        ),
        pytest.param(
            measured_run().prompt().attempt(), False, [*MEASURED, "stepAttempt"], id="not yet"
        ),
        pytest.param(
            session().prompt().attempt().calls(BASH).usage().started(0).usage(tool=0),
            False,
            [*MEASURED, "usage"],
            id="usage of a tool",
        ),
        pytest.param(
            measured_run().compact(keep=1).attempt().usage(), False, MEASURED * 2, id="compacting"
        ),
        pytest.param(compacted_run(), True, ["compaction"], id="compacted"),
        pytest.param(
            compacted_run().prompt().attempt().answer("b").usage(),
            True,
            ["compaction", *MEASURED],
            id="run after a compaction",
        ),
        pytest.param(measured_run().raw(b'damaged "usage"'), False, [], id="damaged"),
        pytest.param(measured_run().raw(b"damaged"), False, MEASURED, id="damaged elsewhere"),
    ],
)
def test_what_tells_it(tmp_path: Path, log: Log, compacted: bool, expected: list[str]) -> None:
    facts = facts_of_the_context(write_session(tmp_path, log), compacted=compacted)
    assert [name for name in map(name_of, facts) if name in TELLING] == expected
    assert [fact["seq"] for fact in facts] == sorted(fact["seq"] for fact in facts)


def test_a_missing_file_tells_nothing(tmp_path: Path) -> None:
    assert facts_of_the_context(tmp_path / "none.jsonl", compacted=False) == []


def name_of(fact: Fact) -> str:
    match fact["kind"]:
        case "usage":
            return "usage"
        case "entry":
            return fact["entry"]["type"]
        case "record":
            return fact["record"]["type"]
