"""Real power cuts: ext4 on a loop device is shut down in the middle of a session's life."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.disk_golden import LEVELS, LOGS, golden, is_promise, state_of
from tests.support.disk_image import Fuse, Image, ext4
from tests.support.torture import count, report
from tests.unit.store.sessions import create_session, make_options, transactions_of

from perdure.errors import StoreError
from perdure.store._opening import open_log
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level

pytestmark = [pytest.mark.asyncio, pytest.mark.process]
WHOLE = {name: golden(name, "barrier").log for name in LOGS}
CUTS = count(18, 504)
CHANGES = {"process": 26, "barrier": 32, "full": 46}
"""About how many changes the life of the longest session makes at each level."""


@pytest.fixture(scope="module", params=["defaults", "data=writeback"])
def image(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Image]:
    with ext4(tmp_path_factory.mktemp("disk"), options=request.param) as mounted:
        yield mounted


async def write(store: SessionStore, name: str, level: Level) -> int:
    """Commit what the session still lacks; return the last seq that was promised."""
    promised = 0
    done = len(store.path.read_bytes().splitlines()) - 1
    with suppress(StoreError):
        for transaction in transactions_of(LOGS[name]())[done:]:
            facts = await store.commit(transaction)
            if is_promise(facts, level):
                promised = facts[-1]["seq"]
    await store.close()
    return promised


def reopened(image: Image, path: Path, promised: int, whole: bytes) -> None:
    """Come back after the cut: what was promised is there, and nothing else than was written."""
    image.restart()
    opened = open_log(path, make_options())
    opened.log.close()
    content = path.read_bytes()
    assert whole.startswith(content)
    assert opened.ledger.state == state_of(content)
    assert opened.ledger.state.next_seq - 1 >= promised


@pytest.mark.parametrize("level", LEVELS)
async def test_what_was_promised_survives(image: Image, level: Level) -> None:
    dice = random.Random(level)
    for number in range(CUTS // 6):
        name = dice.choice(list(LOGS))
        whole = WHOLE[name]
        store = await create_session(image.root / f"{level} {number}", make_options(level=level))
        await store.close()
        fuse = Fuse(image, dice.randint(1, CHANGES[level]))
        store = await SessionStore.open(store.path, options=make_options(fuse, level=level))
        promised = await write(store, name, level)
        if fuse.rest > 0:
            image.cut_power()
        reopened(image, store.path, promised, whole)
        store = await SessionStore.open(store.path, options=make_options(level=level))
        await write(store, name, level)
        assert store.path.read_bytes() == whole
        shutil.rmtree(image.root / f"{level} {number}")
    report(8, "power cuts while a session is written", CUTS // 6)


async def test_a_repair_survives_its_own_power_cut(image: Image) -> None:
    whole = WHOLE["long result"]
    good = whole.index(b"\n", 1500) + 1
    torn = whole[: good + 100]
    for change in range(1, 13, count(3, 1)):
        store = await create_session(image.root / f"repair {change}", make_options())
        await store.close()
        store.path.write_bytes(torn)
        subject = store.path
        image.restart()
        with suppress(StoreError):
            open_log(subject, make_options(Fuse(image, change))).log.close()
        image.restart()
        opened = open_log(subject, make_options())
        opened.log.close()
        assert subject.read_bytes() == torn[:good]
        evidence = [path.read_bytes() for path in subject.parent.glob("*.torn-*")]
        assert evidence == [torn[good:]]
    report(8, "power cuts in a repair", count(4, 12))
