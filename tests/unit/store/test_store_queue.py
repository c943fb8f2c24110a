"""Several commits at once: order, waiting, cancelling, failing together."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson
import pytest
from tests.support.faults import FaultyFiles, GatedFiles, fails
from tests.support.log import Log, session
from tests.unit.store.sessions import (
    begun_each,
    create_session,
    drafts_of,
    make_options,
    open_session,
    user_draft,
)

from perdure.core.facts import Draft, Fact
from perdure.core.state import Idle, Run
from perdure.errors import RejectedTransaction, StorageFailed, StorageFull
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level

pytestmark = pytest.mark.asyncio


def texts_on_disk(path: Path) -> list[str]:
    lines = path.read_bytes().split(b"\n")[1:-1]
    return [orjson.loads(line)["entry"]["message"]["content"] for line in lines]


async def outcomes(
    store: SessionStore, *transactions: Sequence[Draft]
) -> list[tuple[Fact, ...] | BaseException]:
    return await asyncio.gather(*map(store.commit, transactions), return_exceptions=True)


@pytest.mark.parametrize("level", ["process", "barrier", "full"])
async def test_commits_are_stored_first_in_first_out(tmp_path: Path, level: Level) -> None:
    store = await create_session(tmp_path, make_options(level=level))
    texts = [str(number) for number in range(600)]
    committed = await asyncio.gather(*(store.commit([user_draft(text)]) for text in texts))
    assert [facts[0]["seq"] for facts in committed] == list(range(1, 601))
    assert texts_on_disk(store.path) == texts
    await store.close()


async def test_transactions_at_one_time_share_one_write_and_one_sync(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    files.add()
    await asyncio.gather(*(store.commit([user_draft()]) for _ in range(100)))
    assert (files.trace.count("write"), files.trace.count("sync")) == (1, 1)
    await store.close()


async def test_what_comes_during_a_sync_shares_the_next(tmp_path: Path) -> None:
    files = GatedFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    files.gate.clear()
    commits = await begun_each(store, *([user_draft(text)] for text in "abc"))
    assert texts_on_disk(store.path) in ([], ["a"])
    files.gate.set()
    await commits[1]
    assert commits[2].done()
    await store.close()


async def test_writers_who_go_on_share_every_sync(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    files.add()

    async def write(text: str) -> None:
        for _ in range(5):
            await store.commit([user_draft(text)])

    await asyncio.gather(*map(write, "abc"))
    assert texts_on_disk(store.path) == [*"abc"] * 5
    assert (files.trace.count("write"), files.trace.count("sync")) == (5, 5)
    await store.close()


async def test_a_transaction_without_sync_is_written_before_commit_first_waits(
    tmp_path: Path,
) -> None:
    store = await create_session(tmp_path, make_options(level="process"))
    commit = store.commit([user_draft("now")])
    with pytest.raises(StopIteration):
        commit.send(None)
    assert texts_on_disk(store.path) == ["now"]
    await store.close()


@pytest.mark.requirement(112)
@pytest.mark.parametrize("candidate", [lambda log: log.abort(), lambda log: log.failed()])
async def test_the_state_changes_only_when_the_fact_is_durable(
    tmp_path: Path, candidate: Callable[[Log], Log]
) -> None:
    files = GatedFiles()
    log = session().prompt().attempt()
    store = await open_session(tmp_path, log, make_options(files, level="full"))
    before = store.state
    files.gate.clear()
    commit = asyncio.create_task(store.commit(drafts_of(candidate(log))))
    await asyncio.sleep(0.05)
    assert store.state == before == await store.load()
    assert not commit.done()
    files.gate.set()
    await commit
    assert store.state == read_session(store.path) != before
    await store.close()


@pytest.mark.hazard("a commit must not be cut in half")
@pytest.mark.parametrize("cancelled", [0, 1], ids=["being written", "waiting"])
async def test_cancelling_the_caller_does_not_undo_or_halve_a_commit(
    tmp_path: Path, cancelled: int
) -> None:
    files = GatedFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    files.gate.clear()
    commits = await begun_each(store, *([user_draft(text)] for text in "abc"))
    commits[cancelled].cancel()
    await asyncio.wait([commits[cancelled]])
    assert commits[cancelled].cancelled()
    files.gate.set()
    async with asyncio.timeout(10):
        await asyncio.gather(*commits, return_exceptions=True)
    assert texts_on_disk(store.path) == ["a", "b", "c"]
    assert store.state == read_session(store.path)
    await store.close()


@pytest.mark.requirement(100)
@pytest.mark.hazard("Disk full")
async def test_a_full_disk_refuses_and_later_goes_on(tmp_path: Path) -> None:
    files = FaultyFiles()
    log = session().prompt().attempt()
    store = await open_session(tmp_path, log, make_options(files))
    before, content = store.state, store.path.read_bytes()
    files.add(fails("write", 1, errno.ENOSPC))
    abort = drafts_of(log.abort())
    with pytest.raises(StorageFull):
        await store.commit(abort)
    assert (store.state, store.path.read_bytes()) == (before, content)
    (fact,) = await store.commit(abort)
    assert fact["seq"] == before.next_seq
    await store.close()


async def test_a_failed_write_refuses_all_that_was_written_with_it(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    await store.commit([user_draft("a")])
    files.add(fails("write", 1, errno.EIO))
    others = await outcomes(store, *[[user_draft(text)] for text in ("b", "", "d")])
    assert [type(other) for other in others] == [StorageFailed] * 3
    assert texts_on_disk(store.path) == ["a"]
    assert store.state == read_session(store.path)
    await store.commit([user_draft("e")])
    assert texts_on_disk(store.path) == ["a", "e"]
    await store.close()


async def test_a_failed_sync_ends_the_store_until_it_is_reopened(tmp_path: Path) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    before = store.state
    files.add(fails("sync", 1, errno.EIO))
    with pytest.raises(StorageFailed, match="unknown"):
        await store.commit([user_draft("doubtful")])
    with pytest.raises(StorageFailed, match="unknown"):
        await store.commit([user_draft("later")])
    assert store.state == before
    await store.close()
    reopened = await SessionStore.open(store.path, options=make_options())
    assert reopened.state == read_session(store.path)
    assert texts_on_disk(store.path) == ["doubtful"]
    await reopened.close()


RACES = [
    pytest.param(lambda log: log.answer("late").usage().finish(), 3, id="answer"),
    pytest.param(lambda log: log.failed().finish("failed"), 2, id="failure"),
]


@pytest.mark.requirement(108, 109, 110)
@pytest.mark.parametrize("abort_first", [True, False])
@pytest.mark.parametrize(("settle", "lines"), RACES)
async def test_abort_and_settlement_have_one_winner(
    tmp_path: Path, settle: Callable[[Log], Log], lines: int, abort_first: bool
) -> None:
    files = GatedFiles()
    log = session().prompt().attempt()
    store = await open_session(tmp_path, log, make_options(files, level="full"))
    abort = drafts_of(log.abort())
    settlement = drafts_of(settle(log), lines=lines)
    first, second = (abort, settlement) if abort_first else (settlement, abort)
    files.gate.clear()
    await begun_each(store, [user_draft("note")])
    both = asyncio.create_task(outcomes(store, first, second))
    await asyncio.sleep(0)
    files.gate.set()
    won, lost = await both
    assert isinstance(won, tuple)
    assert isinstance(lost, RejectedTransaction)
    assert store.state == read_session(store.path)
    assert isinstance(store.state.operation, Run if abort_first else Idle)
    assert lost.code == ("ABORT_REQUESTED" if abort_first else "INVALID_TRANSITION")
    await store.close()


async def test_observers_hear_of_durable_transactions_in_order(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = FaultyFiles()
    store = await create_session(tmp_path, make_options(files))
    heard: list[int] = []

    def breaks(facts: tuple[Fact, ...]) -> None:
        raise ValueError("an observer's own trouble")

    store.subscribe(breaks)
    stop = store.subscribe(lambda facts: heard.extend(fact["seq"] for fact in facts))
    with caplog.at_level(logging.ERROR):
        await store.commit([user_draft(), user_draft()])
    assert "an observer's own trouble" in caplog.text
    await outcomes(store, [user_draft()], [user_draft("")], [user_draft()])
    files.add(fails("write", 1, errno.EIO))
    await outcomes(store, [user_draft()])
    assert heard == [1, 2, 3, 4]
    stop()
    await store.commit([user_draft()])
    assert heard == [1, 2, 3, 4]
    await store.close()


async def test_closing_writes_what_waits(tmp_path: Path) -> None:
    files = GatedFiles()
    store = await create_session(tmp_path, make_options(files, level="full"))
    files.gate.clear()
    commits = await begun_each(store, *([user_draft(text)] for text in "ab"))
    closing = asyncio.gather(store.close(), store.close())
    await asyncio.sleep(0.02)
    assert not closing.done()
    files.gate.set()
    await closing
    assert all(commit.done() for commit in commits)
    assert texts_on_disk(store.path) == ["a", "b"]
