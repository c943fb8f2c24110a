"""From the start of ``perdure serve`` to its answer to ``initialize`` and to the first status.

::

    python -m tests.benchmarks.bench_start [RUNS]
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.support.lsp_client import start_server, workspace


async def measure(home: Path) -> tuple[float, float, int]:
    """Return milliseconds to ``initialize``, to the status, and the resident KiB then."""
    began = time.perf_counter()
    async with start_server(home) as client:
        await client.initialize([workspace(home)])
        answered = time.perf_counter()
        await client.command("status")
        ready = time.perf_counter()
        status = Path(f"/proc/{client.process.pid}/status").read_text()  # noqa: ASYNC240
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return (answered - began) * 1000, (ready - began) * 1000, int(resident.split()[1])


def main(runs: int) -> None:
    """Print minimum and median of each figure."""
    with TemporaryDirectory() as home:
        results = [asyncio.run(measure(Path(home))) for _ in range(runs)]
    for column, name in enumerate(("initialize ms", "status ms", "RSS KiB")):
        values = [result[column] for result in results]
        print(f"{name:14} min {min(values):8.0f}   median {median(values):8.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
