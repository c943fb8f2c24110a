"""SIGKILL at every change of the disk, writes cut at every eighth, and again while reopening.

What was acknowledged is there afterwards, what is there is a prefix of what was to be written, and
whoever opens the session next goes on to the same end.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.disk_golden import LEVELS, LOGS, golden
from tests.support.dying_writers import Job, dying_writers, run, session_in
from tests.support.forks import Forks
from tests.support.torture import count, report

from perdure.core.reducer import Reduced, reduce_session
from perdure.store._seal_file import seal_path
from perdure.store.levels import Level
from perdure.store.seal import parse_sidecar
from perdure.store.verdict import Sound, judge

pytestmark = pytest.mark.process

STEP = count(41, 1)
"""One point in so many is tried."""

GROUPS = (1, 2, 4)
CHANGES_IN_A_REPAIR = 8


@pytest.fixture(scope="module")
def writers() -> Iterator[Forks]:
    with dying_writers() as running:
        yield running


def points(writers: Forks, folder: Path, name: str, level: Level) -> Iterator[Job]:
    """Yield every way to kill a writer of this session."""
    for together in GROUPS:
        whole = Job(str(folder / f"whole {together}"), name, level, together)
        for nth, change in enumerate(run(writers, whole).changes, start=1):
            for eighths in range(8 if change == "w" else 1):
                yield replace(whole, folder=str(folder / "killed"), nth=nth, eighths=eighths)


@pytest.mark.requirement(112)
@pytest.mark.hazard("K9 right after the client heard", "never two JSON values on one line")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", LOGS)
def test_a_killed_writer_loses_nothing_acknowledged(
    tmp_path: Path, writers: Forks, name: str, level: Level
) -> None:
    kills = 0
    for number, job in enumerate(points(writers, tmp_path, name, level)):
        if number % STEP:
            continue
        first = run(writers, job)
        reopening = replace(job, nth=1 + number % CHANGES_IN_A_REPAIR, eighths=number % 8)
        second = run(writers, reopening)
        kills += first.killed + second.killed
        assert first.killed
        acknowledged = max(first.acknowledged, second.acknowledged)
        check(Path(job.folder), golden(name, level).log, acknowledged)
        go_on(writers, job, golden(name, level).log)
        shutil.rmtree(job.folder)
    report(6, "writers killed", kills)


def test_what_is_acknowledged_too_early_is_noticed(tmp_path: Path, writers: Forks) -> None:
    changes = run(writers, Job(str(tmp_path / "whole"), "whole run", "process")).changes
    nth = changes.rindex("w", 0, changes.rindex("w")) + 1
    job = Job(str(tmp_path / "hasty"), "whole run", "process", nth=nth, eighths=4, hasty=True)
    outcome = run(writers, job)
    assert outcome.killed
    with pytest.raises(AssertionError):
        check(Path(job.folder), golden("whole run", "process").log, outcome.acknowledged)


def check(folder: Path, log: bytes, acknowledged: int) -> None:
    """Check what a killed writer left of ``log``."""
    path = session_in(folder)
    if path is None:
        assert acknowledged == 0
        return
    data = path.read_bytes()
    assert log.startswith(data)
    reduced = reduce_session(data)
    assert isinstance(reduced, Reduced)
    assert reduced.state.next_seq - 1 >= acknowledged


def go_on(writers: Forks, job: Job, log: bytes) -> None:
    """Check that the next writer completes ``log``."""
    assert not run(writers, replace(job, nth=0)).killed
    path = session_in(Path(job.folder))
    assert path is not None
    assert path.read_bytes() == log
    assert isinstance(judge(log, parse_sidecar(seal_path(path).read_bytes())), Sound)
