"""How the last run of a session ended, read from the end of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from tests.support.log import Log, session
from tests.support.wire import object_at
from tests.unit.store.operations import compaction, run
from tests.unit.store.sessions import write_session

from perdure.core.last_run import LastRun
from perdure.store.tail import last_run

Told: TypeAlias = Literal["completed", "failed", "failed, compacted", ""]


@pytest.mark.parametrize(
    ("log", "told"),
    [
        (session(), ""),
        (run(), "completed"),
        (run().usage(), "completed"),
        (run().prompt(), ""),
        (run("failed"), "failed"),
        (run("failed").usage(), "failed"),
        (run("failed").prompt(), ""),
        (run("failed", run()), "failed"),
        (run("completed", run("failed")), "completed"),
        (compaction(run()), "completed"),
        (compaction(run(), "failed"), ""),
        (compaction(compaction(run())), "completed"),
        (compaction(compaction(run(), "failed")), ""),
        (compaction(run("failed")), "failed, compacted"),
        (compaction(run("failed"), "failed"), "failed"),
        (run("failed", compaction(run("failed"))), "failed"),
        (session().prompt().attempt().abort().failed().finish("aborted"), ""),
        (run().raw(b"damaged"), ""),
        (run("failed").raw(b"damaged"), ""),
    ],
)
def test_it_follows_from_the_log(tmp_path: Path, log: Log, told: Told) -> None:
    assert _told(last_run(write_session(tmp_path, log))) == told


def test_it_says_which_run_failed_why_and_when(tmp_path: Path) -> None:
    log = run("failed", run())
    found = last_run(write_session(tmp_path, log)).failed
    assert found is not None
    assert found.operation_id == log.operation_id
    assert found.error == object_at(log.last_fact, "record")["error"]
    assert found.at == log.last_fact["timestamp"]


def test_in_a_missing_file_there_is_none(tmp_path: Path) -> None:
    assert last_run(tmp_path / "none.jsonl") == LastRun()


def _told(last: LastRun) -> Told:
    if last.completed:
        assert last.failed is None
        return "completed"
    if last.failed is None:
        return ""
    return "failed, compacted" if last.failed.compacted else "failed"
