"""Whether the last run of a session failed, read from the end of its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.log import Log, session
from tests.support.wire import object_at
from tests.unit.store.operations import compaction, run
from tests.unit.store.sessions import write_session

from perdure.store.tail import last_failed_run


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (session(), None),
        (run(), None),
        (run("failed"), False),
        (run("failed").usage(), False),
        (run("failed", run()), False),
        (run("completed", run("failed")), None),
        (run("failed").prompt(), None),
        (compaction(run("failed")), True),
        (compaction(run("failed"), "failed"), False),
        (compaction(run()), None),
        (run("failed", compaction(run("failed"))), False),
        (session().prompt().attempt().abort().failed().finish("aborted"), None),
        (run("failed").raw(b"damaged"), None),
    ],
)
def test_it_follows_from_the_log(tmp_path: Path, log: Log, expected: bool | None) -> None:
    found = last_failed_run(write_session(tmp_path, log))
    assert (None if found is None else found.compacted) == expected


def test_it_says_which_run_why_and_when(tmp_path: Path) -> None:
    log = run("failed", run())
    found = last_failed_run(write_session(tmp_path, log))
    assert found is not None
    assert found.operation_id == log.operation_id
    assert found.error == object_at(log.last_fact, "record")["error"]
    assert found.at == log.last_fact["timestamp"]


def test_in_a_missing_file_nothing_failed(tmp_path: Path) -> None:
    assert last_failed_run(tmp_path / "none.jsonl") is None
