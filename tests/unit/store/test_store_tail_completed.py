"""Whether the last run, and every operation since, has completed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.unit.store.operations import compaction, run
from tests.unit.store.sessions import write_session

from perdure.store.tail import last_run_completed


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (session(), False),
        (run(), True),
        (run().usage(), True),
        (run("failed"), False),
        (run("failed", run()), False),
        (run("completed", run("failed")), True),
        (compaction(run()), True),
        (compaction(run(), "failed"), False),
        (compaction(run("failed")), False),
        (compaction(compaction(run())), True),
        (session().prompt().attempt().abort().failed().finish("aborted"), False),
        (run().raw(b"damaged"), False),
    ],
)
def test_it_follows_from_the_log(tmp_path: Path, log: Log, expected: bool) -> None:
    assert last_run_completed(write_session(tmp_path, log)) is expected


def test_a_missing_file_has_completed_nothing(tmp_path: Path) -> None:
    assert last_run_completed(tmp_path / "none.jsonl") is False
