"""No snapshot is taken while something waits to be committed."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.faults import GatedFiles
from tests.unit.store.sessions import (
    begun_each,
    create_session,
    make_options,
    transactions_of,
    user_draft,
    whole_run,
)

from perdure.core.facts import Fact
from perdure.store._snapshot_file import snapshot_path
from perdure.store.options import SnapshotRules

pytestmark = pytest.mark.asyncio

AT_ONCE = SnapshotRules(added=1, added_on_closing=1_000_000, share=1_000_000, pause_seconds=0)


async def test_what_waits_comes_first(tmp_path: Path) -> None:
    files = GatedFiles()
    options = replace(make_options(files, level="full"), snapshots=AT_ONCE)
    store = await create_session(tmp_path, options)
    *before, last = transactions_of(whole_run())
    for transaction in before:
        await store.commit(transaction)
    ended = asyncio.Event()

    def hold_what_follows(facts: tuple[Fact, ...]) -> None:
        files.gate.clear()
        ended.set()

    unsubscribe = store.subscribe(hold_what_follows)
    files.gate.clear()
    commits = await begun_each(store, last, [user_draft()])
    files.gate.set()
    await ended.wait()
    await asyncio.sleep(0.02)
    assert not commits[1].done()
    assert not snapshot_path(store.path).exists()
    unsubscribe()
    files.gate.set()
    await asyncio.gather(*commits)
    await store.close()
    assert not snapshot_path(store.path).exists()
