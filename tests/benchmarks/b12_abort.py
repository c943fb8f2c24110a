"""B12: from the command ``abort`` to its answer, when the operation is durably closed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.bench import Bench
from tests.benchmarks.figures import Figure
from tests.benchmarks.lab import Lab, lab
from tests.benchmarks.timing import percentile
from tests.support.model_replies import Reply, calls_reply, text_reply
from tests.support.scene import wait_state

from perdure.json_types import JsonObject

ROUNDS = 50
FOR_EVER = 1000.0

_WORDS = text_reply("some words")
PHASES: dict[str, Reply] = {
    "connecting": Reply(parts=(FOR_EVER,)),
    "streaming": Reply(parts=(_WORDS.parts[0], FOR_EVER)),
    "tool": calls_reply(("bash", {"command": "sleep 1000"})),
    "approval": calls_reply(("write", {"path": "new.txt", "content": "text"})),
}


def measure(bench: Bench) -> Iterator[Figure]:
    """Abort in each phase many times."""
    for phase, reply in PHASES.items():
        home = bench.folder(f"abort-{phase}")
        found = asyncio.run(_aborts(home, phase, reply, max(bench.scaled(ROUNDS), 5)))
        yield Figure(
            measure="B12",
            what=f"abort while {phase}, p99",
            value=percentile(found, 0.99) * 1e3,
            unit="ms",
            at_most=500,
        )


async def _aborts(home: Path, phase: str, reply: Reply, rounds: int) -> list[float]:
    settings: JsonObject = {"approval": {"bash": "allow", "write": "ask", "edit": "ask"}}
    found = []
    async with lab(home, [reply], settings=settings) as work:
        work.client.on_request("window/showMessageRequest", lambda _: asyncio.sleep(FOR_EVER))
        for number in range(rounds):
            for told in ("perdure/delta", "perdure/committed"):
                work.client.notifications[told].clear()
            await work.client.command("prompt", text=f"go {number}")
            await _reached(work, phase)
            began = time.perf_counter()
            await work.client.command("abort")
            found.append(time.perf_counter() - began)
    return found


async def _reached(work: Lab, phase: str) -> None:
    """Wait until the run is where it is to be aborted."""
    if phase == "streaming":
        await work.client.until("perdure/delta", bool)
    elif phase == "tool":
        await work.client.until("perdure/committed", lambda it: "toolStarted" in str(it))
    elif phase == "approval":
        await wait_state(work.client, "waitingForApproval")
    await asyncio.sleep(0.05)
