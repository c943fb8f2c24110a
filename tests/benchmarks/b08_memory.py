"""B8: the resident memory of the server, at its peak unless said."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from tests.benchmarks.b05_start import fill
from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import lab, turns
from tests.support.model_replies import calls_reply, text_reply
from tests.support.scene import wait_state

FLOOD = "yes | head -c 200M"


def measure(bench: Bench) -> Iterator[Figure]:
    """Measure an idle server, one after 50 turns, one with a long session, one with much output."""
    idle = asyncio.run(_idle(bench))
    yield _figure("idle", idle, 90)
    yield _figure("after 50 turns", asyncio.run(_turns(bench)), 100)
    facts = bench.scaled(100_000)
    peak, size = asyncio.run(_long(bench, facts))
    yield Figure(
        measure="B8",
        what=f"session of {facts} facts open",
        value=peak,
        unit="MB",
        beside="its file",
        beside_value=size,
        at_most=3,
    )
    flood = asyncio.run(_flood(bench))
    yield _figure(f"{FLOOD}, above idle", flood - idle, 50)


def _figure(what: str, value: float, goal: float) -> Figure:
    return Figure(measure="B8", what=what, value=value, unit="MB", at_most=goal)


async def _idle(bench: Bench) -> float:
    async with lab(bench.folder("memory-idle"), [text_reply("done")]) as work:
        await work.client.command("status")
        return work.memory("VmHWM")


async def _turns(bench: Bench) -> float:
    async with lab(bench.folder("memory-turns"), turns(50, tool="read")) as work:
        await work.talk()
        return work.memory("VmHWM")


async def _long(bench: Bench, facts: int) -> tuple[float, float]:
    home = bench.folder("memory-long")
    path = fill(home, facts)
    async with lab(home, [text_reply("done")], settings={"resume": "never"}) as work:
        await wait_state(work.client, "idle")
        return work.memory("VmHWM"), path.stat().st_size / 1e6


async def _flood(bench: Bench) -> float:
    replies = [calls_reply(("bash", {"command": FLOOD})), text_reply("done")]
    async with lab(bench.folder("memory-flood"), replies) as work:
        await work.talk()
        return work.memory("VmHWM")
