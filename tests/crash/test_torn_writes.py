"""A write that a crash cut short, at every byte: the line is dropped, kept aside, and no more.

The server is killed when a transaction is written and not yet synced: nothing was done for it
yet, and a crash can have left any part of it. (``matrix_run`` says how the session goes on.)
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.matrix_kill import Recording, go_on_to_the_end, kill_at, record
from tests.support.matrix_model import REQUESTS_WITHOUT_A_CRASH, careful_model
from tests.support.matrix_points import Point
from tests.support.matrix_run import assert_same, outcome_of
from tests.support.model_server import assert_legal_history
from tests.support.scene import scene_at
from tests.support.strace import needs_strace
from tests.support.torture import count, report

from perdure.core.reducer import Reduced, reduce_session
from perdure.store._fs import SystemFiles
from perdure.store.jsonl import SessionStore
from perdure.store.options import system_options

pytestmark = [pytest.mark.process, needs_strace]

SAMPLES = count(3, 24)


class Unsynced(SystemFiles):
    """The disk, without waiting for it."""

    def sync(self, fd: int) -> None:
        """Do nothing."""

    def sync_directory(self, path: Path) -> None:
        """Do nothing."""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp)


@pytest.mark.asyncio
@pytest.mark.requirement(2, 3, 38, 72)
@pytest.mark.hazard("Garbage tail without LF", "K9 and reopen, each time with a random torn tail")
@pytest.mark.parametrize("sample", range(SAMPLES))
async def test_the_last_line_cut_at_every_byte(
    tmp_path: Path, recording: Recording, sample: int
) -> None:
    points = [point for point in recording.points if _is_before_a_sync(point)]
    with scene_at(tmp_path / "scene", careful_model) as scene:
        await kill_at(scene, points[(sample * len(points) + len(points) // 2) // SAMPLES])
        log = scene.session_file()
        data = log.read_bytes()
        start = data.rindex(b"\n", 0, -1) + 1
        whole = reduce_session(data[:start])
        assert isinstance(whole, Reduced)
        for end in range(start, len(data)):
            store = await _reopened(_copied(tmp_path / str(end), log, data[:end]))
            assert store.state == whole.state
            _assert_cut(store, line=data[start:end], rest=data[:start])
        report(6, "torn writes", len(data) - start)
        log.write_bytes(data[: (start + len(data)) // 2])
        await go_on_to_the_end(scene)
        assert_same(outcome_of(scene), recording.outcome)
        assert scene.model.count <= REQUESTS_WITHOUT_A_CRASH + 1
        for request in scene.model.requests:
            assert_legal_history(request.body)


def _is_before_a_sync(point: Point) -> bool:
    return (point.level, point.call, point.suffix) == ("full", "fdatasync", ".jsonl")


async def _reopened(log: Path) -> SessionStore:
    """Open a session and close it again."""
    options = replace(system_options(), files=Unsynced())
    store = await SessionStore.open(log, options=options)
    await store.close()
    return store


def _assert_cut(store: SessionStore, *, line: bytes, rest: bytes) -> None:
    """Assert that the torn ``line`` was cut off and kept aside, and the rest is as it was."""
    assert store.path.read_bytes() == rest
    if not line:
        assert store.torn_tail is None
    else:
        assert store.torn_tail is not None
        assert store.torn_tail.evidence is not None
        assert store.torn_tail.evidence.read_bytes() == line


def _copied(folder: Path, log: Path, content: bytes) -> Path:
    folder.mkdir()
    shutil.copy(log.with_suffix(".seal"), folder)
    copy = folder / log.name
    copy.write_bytes(content)
    return copy
