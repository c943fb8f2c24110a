"""One commit: what is assigned, what is written, what a refusal leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from tests.support.faults import FaultyFiles
from tests.support.log import Log, session
from tests.support.wire import uid
from tests.unit.store.sessions import (
    Clock,
    create_session,
    make_options,
    open_session,
    transactions_of,
    user_draft,
    whole_run,
)

from perdure.core.facts import Draft
from perdure.core.ids import is_uuid7
from perdure.core.messages import UserMessage
from perdure.errors import RejectedTransaction, StorageFailed
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level

pytestmark = pytest.mark.asyncio


@pytest.mark.requirement(12)
async def test_the_store_has_few_operations() -> None:
    operations = {name for name in vars(SessionStore) if not name.startswith("_")}
    assert operations == {
        *("create", "open", "state", "load", "has_entry", "commit", "subscribe", "close")
    }


async def test_a_commit_gets_ids_numbers_and_one_timestamp(tmp_path: Path) -> None:
    clock = Clock()
    store = await create_session(tmp_path, make_options(clock=clock))
    first = await store.commit([user_draft("a"), user_draft("b")])
    clock.now -= 10_000
    (third,) = await store.commit([user_draft("c")])
    assert [fact["seq"] for fact in (*first, third)] == [1, 2, 3]
    assert {fact["timestamp"] for fact in (*first, third)} == {clock.now + 10_000}
    assert all(is_uuid7(fact["id"]) for fact in (*first, third))
    await store.close()


async def test_no_draft_brings_its_seq_or_timestamp(tmp_path: Path) -> None:
    clock = Clock()
    store = await create_session(tmp_path, make_options(clock=clock))
    draft = cast("Draft", {**user_draft(), "seq": 7, "timestamp": 1})
    (fact,) = await store.commit([draft])
    assert (fact["seq"], fact["timestamp"]) == (1, clock.now)
    await store.close()


async def test_a_given_id_stays(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    draft = user_draft()
    draft["id"] = uid("entry", 7)
    assert [fact["id"] for fact in await store.commit([draft])] == [uid("entry", 7)]
    await store.close()


@pytest.mark.requirement(114)
@pytest.mark.hazard("U+2028, U+2029, U+0085: same record count and bytes after reopen")
async def test_earlier_bytes_never_change_and_mean_the_state(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    for transaction in transactions_of(whole_run()):
        before = store.path.read_bytes()
        await store.commit(transaction)
        after = store.path.read_bytes()
        assert after.startswith(before)
        assert after.count(b"\n") == before.count(b"\n") + 1
        assert read_session(store.path) == store.state == await store.load()
    await store.close()
    reopened = await SessionStore.open(store.path, options=make_options())
    assert reopened.torn_tail is None
    assert reopened.state == store.state
    assert store.path.read_bytes() == after
    await reopened.close()


def nested(depth: int) -> list[Draft]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return [{"kind": "entry", "entry": value}]  # type: ignore[typeddict-item]


def with_id(fact_id: str) -> list[Draft]:
    draft = user_draft()
    draft["id"] = fact_id
    return [draft]


@pytest.mark.hazard("Lone surrogates: the session never becomes unsendable")
@pytest.mark.parametrize(
    ("drafts", "code"),
    [
        pytest.param([], "EMPTY_TRANSACTION", id="empty"),
        pytest.param([user_draft("cut \ud83d")], "MALFORMED_JSON", id="lone surrogate"),
        pytest.param(nested(300), "MALFORMED_JSON", id="deep"),
        pytest.param([user_draft("")], "INVALID_FACT", id="breaks a rule"),
        pytest.param([user_draft(), user_draft("")], "INVALID_FACT", id="second breaks a rule"),
        pytest.param(with_id("no id"), "INVALID_FACT", id="bad id"),
        pytest.param(with_id(uid("entry", 1)), "DUPLICATE_ID", id="used id"),
        pytest.param([{"kind": "note"}], "INVALID_FACT", id="unknown kind"),
    ],
)
async def test_a_refused_transaction_leaves_no_trace(
    tmp_path: Path, drafts: list[Draft], code: str
) -> None:
    store = await open_session(tmp_path, session().user("first"))
    before, content = store.state, store.path.read_bytes()
    with pytest.raises(RejectedTransaction) as caught:
        await store.commit(drafts)
    assert caught.value.code == code
    assert (store.state, store.path.read_bytes()) == (before, content)
    (fact,) = await store.commit([user_draft()])
    assert fact["seq"] == before.next_seq
    assert read_session(store.path) == store.state
    await store.close()


async def test_the_caller_keeps_no_hold_on_what_was_stored(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    message: UserMessage = {"role": "user", "content": "as said"}
    await store.commit([{"kind": "entry", "entry": {"type": "message", "message": message}}])
    message["content"] = "changed"
    assert store.state.transcript[0] == {"role": "user", "content": "as said"}
    await store.close()


def compaction() -> Log:
    return session().prompt().attempt().answer("a").finish().user("b").compact(keep=1)


SYNCED_BY = {"process": (), "barrier": ("barrier", "full"), "full": ("full",)}


@pytest.mark.parametrize("level", ["process", "barrier", "full"])
@pytest.mark.parametrize(
    ("log", "weakest"),
    [
        pytest.param(lambda: session().user("a"), "full", id="entry"),
        pytest.param(lambda: session().prompt(), "barrier", id="run accepted"),
        pytest.param(compaction, "barrier", id="compaction accepted"),
        pytest.param(lambda: session().prompt().attempt(), "full", id="attempt"),
        pytest.param(
            lambda: session().prompt().attempt().calls(("bash", {})).started(0),
            "barrier",
            id="never tool",
        ),
        pytest.param(
            lambda: session().prompt().attempt().calls(("read", {})).started(0),
            "full",
            id="safe tool",
        ),
        pytest.param(
            lambda: session().prompt().attempt().calls(("bash", {})).started(0).result(0),
            "full",
            id="result",
        ),
        pytest.param(lambda: session().prompt().attempt().abort(), "barrier", id="abort"),
        pytest.param(
            lambda: session().prompt().attempt().answer("x").finish().joined(),
            "barrier",
            id="terminal",
        ),
    ],
)
async def test_what_is_synced_at_which_level(
    tmp_path: Path, level: Level, log: Callable[[], Log], weakest: str
) -> None:
    files = FaultyFiles()
    written = log()
    *before, last = transactions_of(written)
    store = await create_session(tmp_path, make_options(files, level=level))
    for transaction in before:
        await store.commit(transaction)
    files.add()
    await store.commit(last)
    assert files.trace.count("sync") == (level in SYNCED_BY[weakest])
    await store.close()


async def test_a_closed_store_refuses(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    await store.close()
    await store.close()
    with pytest.raises(StorageFailed, match="closed"):
        await store.commit([user_draft()])


async def test_an_entry_is_known_from_its_commit_on(tmp_path: Path) -> None:
    store = await create_session(tmp_path)
    assert not store.has_entry(uid("entry", 1))
    (fact,) = await store.commit([user_draft()])
    assert store.has_entry(fact["id"])
    assert not store.has_entry(uid("entry", 1))
    await store.close()
