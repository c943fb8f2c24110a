"""A new session: a header on disk, private and durable by its name, or nothing at all."""

from __future__ import annotations

import asyncio
import errno
import stat
from pathlib import Path

import orjson
import pytest
from tests.support.faults import Fault, FaultyFiles, GatedFiles, fails
from tests.support.log import session
from tests.unit.store.sessions import Clock, create_session, make_options, write_session

from perdure.core.state import Idle
from perdure.errors import SessionInUse, StorageFailed, StorageFull, StoreError
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore

pytestmark = pytest.mark.asyncio


async def test_a_new_session_is_a_header_and_idle(tmp_path: Path) -> None:
    clock = Clock(1_700_000_000_042)
    store = await create_session(tmp_path, make_options(clock=clock))
    header = store.state.header
    assert store.path == tmp_path / "sessions" / f"2023-11-14T22-13-20-042Z_{header.id}.jsonl"
    assert orjson.loads(store.path.read_bytes()) == {
        "kind": "header",
        "version": 2,
        "id": header.id,
        "createdAt": clock.now,
        "cwd": "/workspace",
        "provider": "demo",
        "model": "test/model",
        "environmentIdentity": "fixture",
    }
    assert store.state.operation == Idle()
    assert store.state == read_session(store.path)
    await store.close()


@pytest.mark.hazard("files 0600, directories 0700")
async def test_a_new_session_is_private_and_durable_by_name(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path / "a", make_options(files))
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    new_directories = ["sync_directory"] * 2
    assert files.trace == [*new_directories, "create", "write", "sync", "sync_directory"]
    assert files.seal_trace == ["create", "write", "sync"]
    await store.close()


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (fails("create", 1, errno.ENOSPC), StorageFull),
        (fails("write", 1, errno.ENOSPC), StorageFull),
        (fails("sync", 1, errno.EIO), StorageFailed),
        (fails("sync_directory", 1, errno.EIO), StorageFailed),
        (fails("create", 1, errno.ENOSPC, file="seal"), StorageFull),
        (fails("write", 1, errno.ENOSPC, file="seal"), StorageFull),
        (fails("sync", 1, errno.EIO, file="seal"), StorageFailed),
    ],
    ids=[
        *("create", "header", "sync", "sync of the directory"),
        *("create the sidecar", "first seal", "sync of the sidecar"),
    ],
)
async def test_a_session_that_cannot_be_made_durable_is_not_left_behind(
    tmp_path: Path, fault: Fault, expected: type[StoreError]
) -> None:
    (tmp_path / "sessions").mkdir()
    with pytest.raises(expected):
        await create_session(tmp_path, make_options(FaultyFiles(fault)))
    assert list((tmp_path / "sessions").glob("*")) == []


async def test_an_existing_file_is_never_taken_for_a_new_one(tmp_path: Path) -> None:
    first = await create_session(tmp_path)
    content = first.path.read_bytes()
    with pytest.raises(StorageFailed):
        await create_session(tmp_path)
    assert first.path.read_bytes() == content
    await first.close()


async def test_an_open_whose_caller_has_gone_gives_the_lock_back(tmp_path: Path) -> None:
    files = GatedFiles()
    files.gate.clear()
    path = write_session(tmp_path, session().tail(b"torn"))
    opening = asyncio.create_task(SessionStore.open(path, options=make_options(files)))
    await asyncio.sleep(0.02)
    opening.cancel()
    await asyncio.wait([opening])
    assert opening.cancelled()
    files.gate.set()
    async with asyncio.timeout(30):
        reopened = await until_free(path)
    await reopened.close()


async def until_free(path: Path) -> SessionStore:
    while True:
        try:
            return await SessionStore.open(path, options=make_options())
        except SessionInUse:
            await asyncio.sleep(0.01)
