"""The queue of an open session: durable before it is shown, and nothing in it is lost."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest
from tests.support.faults import FaultyFiles, GatedFiles, fails
from tests.support.wire import uid
from tests.unit.store.sessions import FILE_NAME, make_options

from perdure.agent.queue import PromptQueue
from perdure.errors import CommandError, StorageFull
from perdure.store._fs import Files
from perdure.store.queue_file import QueuedPrompt, QueueFile, peek_queue

pytestmark = pytest.mark.asyncio

ONE, TWO, THREE = (QueuedPrompt(uid("entry", n), f"prompt {n}") for n in (1, 2, 3))


def _nothing(_: str) -> bool:
    return False


class Bench:
    """A queue in a scratch folder; ``shown`` is what it was each time it changed."""

    def __init__(self, folder: Path, files: Files | None = None) -> None:
        self.session = folder / FILE_NAME
        self.shown: list[tuple[QueuedPrompt, ...]] = []
        file = QueueFile(self.session, make_options(files, level="full"))
        self.queue = PromptQueue(file, lambda: self.shown.append(self.queue.items))

    async def with_three(self) -> PromptQueue:
        for prompt in (ONE, TWO, THREE):
            await self.queue.add(prompt)
        return self.queue

    def writes(self) -> bool:
        return any(self.session.parent.iterdir())

    def on_disk(self) -> tuple[QueuedPrompt, ...]:
        return peek_queue(self.session)


async def test_positions_edits_and_removals(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    queue = bench.queue
    assert [await queue.add(prompt) for prompt in (ONE, TWO, THREE)] == [1, 2, 3]
    await queue.edit(TWO.id, "another")
    await queue.remove(ONE.id)
    expected = (QueuedPrompt(TWO.id, "another"), THREE)
    assert queue.items == bench.on_disk() == bench.shown[-1] == expected
    await queue.handed_over(TWO.id)
    assert queue.items == bench.on_disk() == (THREE,)


async def test_what_does_not_wait_is_not_found(tmp_path: Path) -> None:
    queue = await Bench(tmp_path).with_three()
    await queue.handed_over(ONE.id)
    for change in (queue.edit(ONE.id, "x"), queue.remove(ONE.id), queue.remove("")):
        with pytest.raises(CommandError) as missing:
            await change
        assert missing.value.code == "not_found"
    assert queue.items == (TWO, THREE)


async def test_a_change_that_cannot_be_written_is_not_shown(tmp_path: Path) -> None:
    files = FaultyFiles()
    bench = Bench(tmp_path, files)
    queue = await bench.with_three()
    before = list(bench.shown)
    for change in (queue.add(QueuedPrompt(uid("entry", 4), "x")), queue.remove(ONE.id)):
        files.add(fails("write", 1, errno.ENOSPC))
        with pytest.raises(StorageFull):
            await change
    assert queue.items == bench.on_disk() == (ONE, TWO, THREE)
    assert bench.shown == before


async def test_what_the_log_accepted_is_not_shown_again(tmp_path: Path) -> None:
    await Bench(tmp_path).with_three()
    reopened = Bench(tmp_path)
    assert await reopened.queue.load(lambda entry_id: entry_id == ONE.id) is None
    assert reopened.queue.items == reopened.on_disk() == (TWO, THREE)


async def test_it_is_not_shown_again_on_a_full_disk_either(tmp_path: Path) -> None:
    await Bench(tmp_path).with_three()
    reopened = Bench(tmp_path, FaultyFiles(fails("write", 1, errno.ENOSPC)))
    await reopened.queue.load(lambda entry_id: entry_id == ONE.id)
    assert reopened.queue.items == (TWO, THREE)
    assert reopened.on_disk() == (ONE, TWO, THREE)
    await reopened.queue.remove(TWO.id)
    assert reopened.on_disk() == (THREE,)


async def test_loading_a_sound_queue_writes_nothing(tmp_path: Path) -> None:
    await Bench(tmp_path).with_three()
    files = FaultyFiles()
    reopened = Bench(tmp_path, files)
    await reopened.queue.load(_nothing)
    assert reopened.queue.items == (ONE, TWO, THREE)
    assert files.trace == []


async def test_settling_waits_for_a_write_whose_caller_went_away(tmp_path: Path) -> None:
    files = GatedFiles()
    bench = Bench(tmp_path, files)
    files.gate.clear()
    adding = asyncio.create_task(bench.queue.add(ONE))
    while not bench.writes():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    adding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await adding
    settling = asyncio.create_task(bench.queue.settle())
    await asyncio.sleep(0.05)
    assert not settling.done()
    files.gate.set()
    await settling
    assert bench.on_disk() == (ONE,)
