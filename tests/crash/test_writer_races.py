"""Two processes race for one session, again and again: never two writers, nothing lost."""

from __future__ import annotations

import random
from pathlib import Path

import orjson
import pytest
from tests.support.forks import Forks, forks_of
from tests.support.log import session
from tests.support.torture import count, report
from tests.unit.store.sessions import write_session

from perdure.core.reducer import Reduced, reduce_session
from perdure.json_types import JsonValue

pytestmark = pytest.mark.process

RACES = count(40, 1000)


@pytest.mark.hazard("K9 of the first: the lock is free at once", "Second server on the same")
def test_two_processes_race_for_a_session(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    dice = random.Random(RACES)
    stored: list[JsonValue] = []
    refused = 0
    with forks_of("tests.crash.contender") as one, forks_of("tests.crash.contender") as other:
        for _ in range(RACES):
            both = [_started(contender, path, dice) for contender in (one, other)]
            said = [contender.outcome() for contender in both]
            winners = [words["stored"] for words in said if "stored" in words]
            assert winners
            stored += winners
            refused += sum("refused" in words for words in said)
    data = path.read_bytes()
    lines = [orjson.loads(line) for line in data.splitlines()[1:]]
    found = [line["id"] for line in lines]
    report(11, "races of two writers", RACES, lost=len(set(stored) - set(found)))
    assert len(found) == len(stored)
    assert set(found) == set(stored)
    assert isinstance(reduce_session(data), Reduced)
    assert refused > RACES // 4


def _started(contender: Forks, path: Path, dice: random.Random) -> Forks:
    contender.start({"path": str(path), "dies": dice.random() < 0.5})
    return contender
