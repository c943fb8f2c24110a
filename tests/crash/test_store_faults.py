"""What a disk can do to each kind of commit: nothing happens unrecorded, and work goes on."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.faults import Fault, FaultyFiles, fails, short
from tests.support.log import Log, session
from tests.support.torture import report, torturing
from tests.unit.store.sessions import (
    Clock,
    create_session,
    drafts_of,
    make_options,
    open_session,
    user_draft,
    write_session,
)

from perdure.core.state import SessionState
from perdure.errors import StorageFailed, StorageFull, StoreError
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore

pytestmark = pytest.mark.asyncio


def called(log: Log) -> Log:
    return log.prompt().attempt().calls(("bash", {"command": "true"}))


KINDS: dict[str, Callable[[Log], Log]] = {
    "prompt": lambda log: log.prompt(),
    "attempt": lambda log: log.prompt().attempt(),
    "answer": called,
    "intent": lambda log: called(log).started(0),
    "result": lambda log: called(log).started(0).result(0),
    "failure": lambda log: log.prompt().attempt().failed().finish("failed").joined(),
    "abort": lambda log: called(log).started(0).abort("tool", call=0),
    "terminal": lambda log: log.prompt().attempt().answer("done").finish().joined(),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Callable[[Log], Log]:
    return KINDS[request.param]


def before_last(log: Log) -> Log:
    return Log(log.lines[:-1])


async def assert_goes_on(store: SessionStore, log: Log) -> None:
    """Commit the last transaction of ``log`` now that the cause is gone."""
    await store.commit(drafts_of(log))
    assert read_session(store.path) == store.state
    assert store.state.next_seq == log.seq + 1
    await store.close()


REFUSED = [
    ([fails("write", 1, errno.ENOSPC)], StorageFull),
    ([fails("write", 1, errno.EDQUOT)], StorageFull),
    ([fails("write", 1, errno.EIO)], StorageFailed),
    ([fails("write", 1, errno.EROFS)], StorageFailed),
    ([fails("write", 1, errno.EACCES)], StorageFailed),
    ([fails("stat", 1, errno.EIO)], StorageFailed),
    ([short(1, length=9), fails("write", 2, errno.ENOSPC)], StorageFull),
    ([short(1, length=9), short(2, length=0)], StorageFailed),
]


@pytest.mark.hazard("A write that returns fewer bytes than asked", "Disk full")
@pytest.mark.parametrize(("faults", "expected"), REFUSED)
async def test_a_refused_write_leaves_no_trace(
    tmp_path: Path,
    kind: Callable[[Log], Log],
    faults: list[Fault],
    expected: type[StoreError],
) -> None:
    log = kind(session())
    files = FaultyFiles()
    store = await open_session(tmp_path, before_last(log), make_options(files, level="full"))
    before, content = store.state, store.path.read_bytes()
    files.add(*faults)
    with pytest.raises(expected, match="Nothing was written"):
        await store.commit(drafts_of(log))
    assert (store.state, store.path.read_bytes()) == (before, content)
    files.add()
    await assert_goes_on(store, log)
    report(10, "faults at a commit", 1)


DOUBTFUL = [
    [fails("sync", 1, errno.EIO)],
    [fails("sync", 1, errno.ENOSPC)],
    [short(1, length=9), fails("write", 2, errno.EIO), fails("truncate", 1, errno.EIO)],
    [short(1, length=9), fails("write", 2, errno.EIO), fails("sync", 1, errno.EIO)],
]


@pytest.mark.parametrize("faults", DOUBTFUL)
async def test_a_doubtful_write_is_never_acknowledged_and_reopening_tells(
    tmp_path: Path, kind: Callable[[Log], Log], faults: list[Fault]
) -> None:
    log = kind(session())
    files = FaultyFiles()
    store = await open_session(tmp_path, before_last(log), make_options(files, level="full"))
    before = store.state
    files.add(*faults)
    with pytest.raises(StorageFailed, match="unknown"):
        await store.commit(drafts_of(log))
    files.add()
    with pytest.raises(StorageFailed, match="unknown"):
        await store.commit(drafts_of(log))
    assert store.state == before
    assert files.trace == []
    await store.close()
    reopened = await SessionStore.open(store.path, options=make_options(level="full"))
    if reopened.state == before:
        await assert_goes_on(reopened, log)
    else:
        assert reopened.state.next_seq == log.seq + 1
        await reopened.close()
    report(9, "doubtful writes at a commit", 1)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", range(30) if torturing() else [0, 1, 100])
async def test_a_file_size_limit(tmp_path: Path, kind: Callable[[Log], Log], room: int) -> None:
    log = kind(session())
    store = await open_session(tmp_path, before_last(log))
    before, content = store.state, store.path.read_bytes()
    with file_size_limit(len(content) + room), pytest.raises(StoreError, match="Nothing was"):
        await store.commit(drafts_of(log))
    assert (store.state, store.path.read_bytes()) == (before, content)
    await assert_goes_on(store, log)
    report(10, "file size limits at a commit", 1)


async def test_a_removed_directory(tmp_path: Path, kind: Callable[[Log], Log]) -> None:
    log = kind(session())
    directory = tmp_path / "sessions"
    store = await open_session(directory, before_last(log))
    before = store.state
    shutil.rmtree(directory)
    for _ in range(2):
        with pytest.raises(StorageFailed, match="deleted"):
            await store.commit(drafts_of(log))
    assert store.state == before
    await store.close()
    fresh = await create_session(tmp_path)
    await fresh.commit([user_draft()])
    await fresh.close()


async def test_a_clock_that_runs_backwards(tmp_path: Path, kind: Callable[[Log], Log]) -> None:
    log = kind(session().user("before"))
    clock = Clock(1_000)
    store = await open_session(tmp_path, before_last(log), make_options(clock=clock))
    (first, *_) = await store.commit(drafts_of(log))
    assert first["timestamp"] > clock.now
    assert isinstance(read_session(store.path), SessionState)
    await store.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take away a permission for a while")
async def test_a_lost_permission(tmp_path: Path) -> None:
    path = write_session(tmp_path / "sessions", session().user("a"))
    content = path.read_bytes()
    os.seteuid(65534)
    try:
        with pytest.raises(StorageFailed, match="Permission denied"):
            await SessionStore.open(path, options=make_options())
    finally:
        os.seteuid(0)
    assert path.read_bytes() == content
    store = await SessionStore.open(path, options=make_options())
    await store.commit([user_draft()])
    await store.close()
