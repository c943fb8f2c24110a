"""Whether the last run, and every operation since, has completed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.unit.store.sessions import write_session

from perdure.store.tail import last_run_completed


def _run(outcome: str = "completed", log: Log | None = None) -> Log:
    return (log or session()).prompt().attempt().answer("ok").finish(outcome)


def _compaction(log: Log, outcome: str = "completed") -> Log:
    started = log.compact(keep=1).attempt()
    if outcome == "completed":
        return started.summary().finish()
    return started.failed().finish(outcome)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (session(), False),
        (_run(), True),
        (_run().usage(), True),
        (_run("failed"), False),
        (_run("failed", _run()), False),
        (_run("completed", _run("failed")), True),
        (_compaction(_run()), True),
        (_compaction(_run(), "failed"), False),
        (_compaction(_run("failed")), False),
        (_compaction(_compaction(_run())), True),
        (session().prompt().attempt().abort().failed().finish("aborted"), False),
        (_run().raw(b"damaged"), False),
    ],
)
def test_it_follows_from_the_log(tmp_path: Path, log: Log, expected: bool) -> None:
    assert last_run_completed(write_session(tmp_path, log)) is expected


def test_a_missing_file_has_completed_nothing(tmp_path: Path) -> None:
    assert last_run_completed(tmp_path / "none.jsonl") is False
