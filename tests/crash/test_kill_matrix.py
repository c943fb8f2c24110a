"""SIGKILL of a real server before each system call that matters, in a session of 22 steps.

The session reads, writes, edits, runs commands, makes calls that are refused, is aborted in a
command and is compacted (``matrix_model``). It is first recorded without a crash; from that come
the points. Then it is killed at a point, reopened, driven on, and at the end

* history, results and files are those of the run without a crash, as ``matrix_run`` defines it;
* every effect that can be counted is there exactly once;
* the model was called at most once more than without the crash, every time with a legal history;
* the session reduces, both as the kill left it and at the end, and resuming it does nothing.

An ordinary run takes one point of each share, spread evenly; a torture run takes them all.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.matrix_kill import Recording, go_on_to_the_end, kill_at, record
from tests.support.matrix_model import REQUESTS_WITHOUT_A_CRASH, careful_model
from tests.support.matrix_points import Point
from tests.support.matrix_run import Outcome, assert_same, outcome_of
from tests.support.model_server import assert_legal_history
from tests.support.scene import Scene, scene_at
from tests.support.strace import needs_strace
from tests.support.torture import report, torturing

from perdure.core.reducer import Reduced, reduce_session
from perdure.core.state import SessionState

pytestmark = [pytest.mark.process, needs_strace]

SHARES = 60


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return record(tmp_path_factory.mktemp)


@pytest.mark.asyncio
@pytest.mark.requirement(1, 2, 3, 19, 28, 33, 34, 38, 39, 66, 71, 72, 110, 136)
@pytest.mark.hazard(
    "K9 at each of: before intent, after intent, during the tool, after the effect",
    "Requests after K9 + resume ≤ requests without a crash + 1",
)
@pytest.mark.parametrize("share", range(SHARES))
async def test_killed_and_reopened(tmp_path: Path, recording: Recording, share: int) -> None:
    for index, point in enumerate(_share(recording.points, share)):
        with scene_at(tmp_path / str(index), careful_model) as scene:
            await kill_at(scene, point)
            _reduced(scene)
            await go_on_to_the_end(scene)
            _judge(scene, recording.outcome)


def _share(points: list[Point], share: int) -> list[Point]:
    if torturing():
        return points[share::SHARES]
    return [points[share * len(points) // SHARES]]


def _judge(scene: Scene, expected: Outcome) -> None:
    found = outcome_of(scene)
    counts = [len(found.files.get(mark, b"").split()) for mark in _marks(expected)]
    report(7, "points killed", 1, lost=counts.count(0), repeated=sum(n > 1 for n in counts))
    assert_same(found, expected)
    assert scene.model.count <= REQUESTS_WITHOUT_A_CRASH + 1
    for request in scene.model.requests:
        assert_legal_history(request.body)
    assert _reduced(scene).operation.kind == "idle"


def _marks(outcome: Outcome) -> list[str]:
    return [name for name, content in outcome.files.items() if content == b"x\n"]


def _reduced(scene: Scene) -> SessionState:
    reduced = reduce_session(scene.session_file().read_bytes())
    assert isinstance(reduced, Reduced)
    return reduced.state
