"""B7: from the first byte of the model's answer to the delta that the client hears.

Deltas are sent together, so the interval between two of them is part of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import lab
from tests.support.model_replies import Reply, text_reply

from perdure.lsp.deltas import INTERVAL_SECONDS

PROMPTS = 30
SILENCE_SECONDS = 0.1


def measure(bench: Bench) -> Iterator[Figure]:
    """Send prompts one after the other to a model that pauses after its first word."""
    found = asyncio.run(_delays(bench.folder("delta"), max(bench.scaled(PROMPTS), 5)))
    yield Figure(
        measure="B7",
        what="model's first byte to delta, median",
        value=median(found),
        unit="ms",
        at_most=2 + INTERVAL_SECONDS * 1e3,
    )


async def _delays(home: Path, prompts: int) -> list[float]:
    heard: list[int] = []
    async with lab(home, [_paused(text_reply("one two three four"))]) as work:
        for _ in range(prompts):
            work.client.notifications["perdure/delta"].clear()
            await work.client.command("prompt", text="go")
            await work.client.until("perdure/delta", bool)
            heard.append(time.monotonic_ns())
            await work.client.command("wait", timeoutSeconds=30)
        sent = [exchange.first for exchange in work.timeline]
    return [(after - before) / 1e6 for before, after in zip(sent, heard, strict=True)]


def _paused(reply: Reply) -> Reply:
    first, *others = reply.parts
    return Reply(parts=(first, SILENCE_SECONDS, *others))
