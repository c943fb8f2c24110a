"""The thread that waits for the disk: order, failures, and loops that have gone away."""

from __future__ import annotations

import asyncio
import threading

import pytest
from tests.support.faults import Crash

from perdure.store._writer_thread import WriterThread


def _threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "perdure-store"]


@pytest.mark.asyncio
async def test_one_thing_is_done_after_the_other_and_beside_the_loop() -> None:
    writer = WriterThread()
    gate = threading.Event()
    order: list[str] = []
    first = writer.do(gate.wait)
    second = writer.do(lambda: order.append("second"))
    third = writer.do(lambda: order.append("third"))
    await asyncio.sleep(0.02)
    assert not order
    gate.set()
    assert await first
    await asyncio.gather(second, third)
    assert order == ["second", "third"]
    writer.stop()


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [OSError("a broken disk"), Crash()], ids=repr)
async def test_what_fails_fails_for_the_one_who_waits(error: BaseException) -> None:
    def breaks() -> None:
        raise error

    writer = WriterThread()
    with pytest.raises(type(error)):
        await writer.do(breaks)
    assert await writer.do(lambda: "goes on") == "goes on"
    writer.stop()


@pytest.mark.asyncio
async def test_the_thread_ends_when_all_is_done() -> None:
    before = _threads()
    writer = WriterThread()
    (thread,) = set(_threads()) - set(before)
    last = writer.do(lambda: "last")
    writer.stop()
    writer.stop()
    assert await last == "last"
    thread.join(timeout=10)
    assert not thread.is_alive()


def test_a_loop_that_has_gone_away_stops_nothing() -> None:
    gate, later = threading.Event(), threading.Event()

    async def start() -> WriterThread:
        writer = WriterThread()
        writer.do(gate.wait)
        return writer

    writer = asyncio.run(start())
    thread = _threads()[-1]
    gate.set()
    writer.do(later.set)
    writer.stop()
    thread.join(timeout=10)
    assert later.is_set()
