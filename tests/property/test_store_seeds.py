"""A life of a session is drawn from its seed alone: ``pytest -k "test_store_seeds and 17"``."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.property.store_story import Story
from tests.support.faults import FaultyFiles, Operation, short
from tests.support.torture import count, report
from tests.unit.store.sessions import create_session, make_options

from perdure.core.reducer import Reduced, reduce_session
from perdure.errors import RejectedTransaction
from perdure.store._seal_file import seal_path
from perdure.store.levels import LEVELS

SEEDS = count(20, 1000)


async def _life(folder: Path, dice: random.Random) -> tuple[bytes, bytes, list[Operation]]:
    """Return log, sidecar and changes to the log of a session with legal and illegal moves."""
    files = FaultyFiles(*(short(dice.randint(1, 30), length=dice.randint(1, 90)) for _ in range(4)))
    store = await create_session(folder, make_options(files, level=dice.choice(LEVELS)))
    story = Story()
    for _ in range(dice.randint(1, 20)):
        after, drafts = story.told(dice.choice(story.moves()))
        if dice.random() < 0.2:
            _, illegal = dice.choice(list(story.illegal().values()))
            with pytest.raises(RejectedTransaction):
                await store.commit(illegal)
        await store.commit(drafts)
        story = after
    await store.close()
    reduced = reduce_session(store.path.read_bytes())
    assert isinstance(reduced, Reduced)
    assert reduced.state == store.state
    return store.path.read_bytes(), seal_path(store.path).read_bytes(), files.trace


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_same_seed_writes_the_same_bytes(tmp_path: Path, seed: int) -> None:
    first = asyncio.run(_life(tmp_path / "first", random.Random(seed)))
    second = asyncio.run(_life(tmp_path / "second", random.Random(seed)))
    assert first == second
    report(17, "seeds that gave the same bytes twice", 1)
