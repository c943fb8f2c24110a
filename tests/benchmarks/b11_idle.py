"""B11: what a server does while nobody asks anything of it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import lab
from tests.support.model_replies import text_reply

SECONDS = 60


def measure(bench: Bench) -> Iterator[Figure]:
    """Leave a server with one finished run alone for a minute."""
    seconds = bench.scaled(SECONDS)
    cpu, written = asyncio.run(_idle(bench, seconds))
    yield Figure(
        measure="B11", what=f"CPU in {seconds} s of idleness", value=cpu, unit="s", at_most=0.1
    )
    yield Figure(measure="B11", what="written meanwhile", value=written, unit="bytes", at_most=0)


async def _idle(bench: Bench, seconds: float) -> tuple[float, int]:
    async with lab(bench.folder("idle"), [text_reply("done")]) as work:
        await work.talk()
        await asyncio.sleep(1)
        process = Path(f"/proc/{work.client.process.pid}")
        before = _cpu_seconds(process), _written(process)
        await asyncio.sleep(seconds)
        return _cpu_seconds(process) - before[0], _written(process) - before[1]


def _cpu_seconds(process: Path) -> float:
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _written(process: Path) -> int:
    lines = dict(line.split(": ") for line in (process / "io").read_text().splitlines())
    return int(lines["wchar"])
