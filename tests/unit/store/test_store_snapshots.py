"""Snapshots beside a session: when they are taken, what they serve for, what they never do."""

from __future__ import annotations

import asyncio
import errno
import stat
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.faults import FaultyFiles, fails
from tests.support.log import Log, session
from tests.support.wire import uid
from tests.unit.store.sessions import (
    create_session,
    drafts_of,
    make_options,
    transactions_of,
    user_draft,
    whole_run,
)

from perdure.core.reducer.session import load_ledger
from perdure.core.state import SessionState
from perdure.errors import SessionCorrupt
from perdure.store._fs import Files
from perdure.store._opening import open_log
from perdure.store._snapshot_file import read_snapshot, snapshot_path
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.options import SnapshotRules, StoreOptions
from perdure.store.snapshot import Snapshot

pytestmark = pytest.mark.asyncio

ALWAYS = SnapshotRules(added=1, added_on_closing=1, share=1_000_000, pause_seconds=0)


def options(files: Files | None = None, *, rules: SnapshotRules = ALWAYS) -> StoreOptions:
    return replace(make_options(files), snapshots=rules)


async def written(directory: Path, log: Log, given: StoreOptions | None = None) -> Path:
    """Write a session through a store and close it."""
    store = await create_session(directory, given or options())
    for transaction in transactions_of(log):
        await store.commit(transaction)
    await store.close()
    return store.path


def reopened(path: Path) -> tuple[int, SessionState]:
    """Open and close a session: how much a snapshot covered, and what it means."""
    opened = open_log(path, options())
    opened.log.close()
    return opened.covered, opened.ledger.state


def wait_for_snapshot(path: Path) -> Snapshot:
    """Return the snapshot when there is one."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if found := read_snapshot(path):
            return found
        time.sleep(0.001)
    raise AssertionError("there is no snapshot")


async def test_closing_leaves_a_private_snapshot_that_serves_the_next_opening(
    tmp_path: Path,
) -> None:
    path = await written(tmp_path, whole_run())
    assert stat.S_IMODE(snapshot_path(path).stat().st_mode) == 0o600
    with_snapshot = reopened(path)
    assert with_snapshot[0] == path.stat().st_size
    snapshot_path(path).unlink()
    assert reopened(path) == (0, with_snapshot[1])
    assert list(path.parent.glob("*.tmp")) == []


async def test_a_short_session_is_not_worth_a_snapshot(tmp_path: Path) -> None:
    path = await written(tmp_path, whole_run(), make_options())
    assert not snapshot_path(path).exists()


async def test_a_session_that_is_opened_from_a_snapshot_goes_on(tmp_path: Path) -> None:
    path = await written(tmp_path, session().prompt("one").attempt().answer("1").finish())
    store = await SessionStore.open(path, options=options())
    assert store.state.transcript[-1]["content"] == "1"
    await store.commit([user_draft("two")])
    assert [message["content"] for message in store.state.active_context] == ["one", "1", "two"]
    await store.close()
    covered, state = reopened(path)
    assert covered == path.stat().st_size
    assert state == load_ledger(path.read_bytes()).state  # type: ignore[union-attr]


async def test_the_end_of_an_operation_is_followed_by_a_snapshot(tmp_path: Path) -> None:
    store = await create_session(tmp_path, options())
    *before, last = transactions_of(whole_run())
    for transaction in before:
        await store.commit(transaction)
    await asyncio.sleep(0.01)
    assert not snapshot_path(store.path).exists()
    await store.commit(last)
    found = await asyncio.to_thread(wait_for_snapshot, store.path)
    assert found.seal.end == store.path.stat().st_size
    await store.close()


async def test_little_beside_a_long_history_waits(tmp_path: Path) -> None:
    rules = SnapshotRules(added=1, added_on_closing=1, share=2, pause_seconds=0)
    path = await written(tmp_path, whole_run(), options(rules=rules))
    length = path.stat().st_size
    for number, added in enumerate(("little", "much " * length), start=1):
        store = await SessionStore.open(path, options=options(rules=rules))
        log = session().user(added).patch("id", uid("free", number))
        await store.commit(drafts_of(log))
        await store.close()
        covered, _ = reopened(path)
        assert covered == (length if added == "little" else path.stat().st_size)


@pytest.mark.parametrize("operation", ["create", "write", "sync", "sync_directory"])
async def test_a_failing_disk_costs_the_snapshot_only(tmp_path: Path, operation: str) -> None:
    path = await written(tmp_path, whole_run(), make_options())
    before = path.read_bytes()
    files = FaultyFiles()
    store = await SessionStore.open(path, options=options(files))
    files.add(fails(operation, 1, errno.ENOSPC))  # type: ignore[arg-type]
    await store.close()
    assert path.read_bytes() == before
    assert list(path.parent.glob("*.tmp")) == []
    assert reopened(path)[1] == load_ledger(before).state  # type: ignore[union-attr]


async def test_what_became_of_the_bytes_on_the_disk_is_not_blessed(tmp_path: Path) -> None:
    store = await create_session(tmp_path, options())
    await store.commit([user_draft("a word")])
    content = store.path.read_bytes()
    store.path.write_bytes(content.replace(b"a word", b"a lord"))
    await store.close()
    assert not snapshot_path(store.path).exists()
    with pytest.raises(SessionCorrupt, match="CHAIN_MISMATCH"):
        open_log(store.path, options())


async def test_damage_before_a_snapshot_is_found_and_placed(tmp_path: Path) -> None:
    path = await written(tmp_path, whole_run())
    content = path.read_bytes()
    path.write_bytes(content.replace(b"do it", b"do at"))
    with pytest.raises(SessionCorrupt) as raised:
        open_log(path, options())
    snapshot_path(path).unlink()
    with pytest.raises(SessionCorrupt) as expected:
        open_log(path, options())
    assert str(raised.value) == str(expected.value)


async def test_a_reader_takes_the_same_way(tmp_path: Path) -> None:
    path = await written(tmp_path, whole_run())
    state = read_session(path)
    snapshot_path(path).unlink()
    assert read_session(path) == state


async def test_a_snapshot_of_another_core_is_not_read(tmp_path: Path) -> None:
    path = await written(tmp_path, whole_run())
    _, content = snapshot_path(path).read_bytes().split(b"\n", 1)
    other = content.replace(b'"reducer":"', b'"reducer":"other')
    snapshot_path(path).write_bytes(sha256(other).hexdigest().encode() + b"\n" + other)
    assert read_snapshot(path) is None
    assert reopened(path)[0] == 0


@pytest.mark.parametrize("content", [b"", b"\n", b"x" * 64 + b"\n", bytes(200)])
async def test_rubbish_in_its_place_is_ignored(tmp_path: Path, content: bytes) -> None:
    path = await written(tmp_path, whole_run())
    snapshot_path(path).write_bytes(content)
    assert reopened(path)[0] == 0
