"""Recording the session of the kill matrix, killing its server at a point, and going on."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.matrix_model import REQUESTS_WITHOUT_A_CRASH, careful_model
from tests.support.matrix_points import Level, Point, points_in, recorded
from tests.support.matrix_run import Outcome, assert_same, drive, outcome_of, prepare
from tests.support.scene import Scene, scene_at
from tests.support.strace import traced

from perdure.cli.lsp_client import ConnectionLost

LEVELS: tuple[Level, ...] = ("barrier", "full")


@dataclass(frozen=True)
class Recording:
    """The runs without a crash: what comes of them, and all points."""

    outcome: Outcome
    points: list[Point]


def record(new_home: Callable[[str], Path]) -> Recording:
    """Run the session without a crash at each level; the outcome must be the same."""
    runs = [asyncio.run(_record(new_home(level), level)) for level in LEVELS]
    outcome = runs[0][0]
    for other, _ in runs:
        assert_same(other, outcome)
    return Recording(outcome, [point for _, points in runs for point in points])


async def kill_at(scene: Scene, point: Point) -> None:
    """Run the session until its server is killed at ``point``."""
    async with scene.server(settings={"durability": point.level}) as client:
        await prepare(scene, client)
        async with traced(client.process.pid, *point.options(scene.session_file())):
            with suppress(ConnectionLost):
                await drive(scene, client)
                await client.shutdown()
            code = await client.wait()
        assert code == -signal.SIGKILL, f"{point} was not reached"


async def go_on_to_the_end(scene: Scene) -> None:
    """Reopen and do the rest; after that, resuming does nothing."""
    async with scene.server() as client:
        await drive(scene, client)
        before, requests = scene.digest(), scene.model.count
        assert (await client.command("resume"))["outcome"] == "idle"
        assert (scene.digest(), scene.model.count) == (before, requests)


async def _record(home: Path, level: Level) -> tuple[Outcome, list[Point]]:
    with scene_at(home, careful_model) as scene:
        async with scene.server(settings={"durability": level}) as client:
            await prepare(scene, client)
            async with recorded(client.process.pid, home / "trace"):
                await drive(scene, client)
                await client.shutdown()
        assert scene.model.count == REQUESTS_WITHOUT_A_CRASH
        return outcome_of(scene), points_in(home / "trace", client.process.pid, level)
