"""Power cuts on a simulated disk: nothing promised is lost, nothing is wrong, nothing refused."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.disk import Moment, RecordingDisk, after_power_cut
from tests.support.disk_golden import LEVELS, LOGS, is_promise, state_of
from tests.support.torture import count, report
from tests.unit.store.sessions import create_session, make_options, transactions_of

from perdure.store._seal_file import seal_path
from perdure.store.jsonl import SessionStore
from perdure.store.levels import Level
from perdure.store.seal import parse_sidecar
from perdure.store.verdict import Damaged, judge

STATES = count(2_502, 1_000_002)
LIVES = count(40, 1_000)


@dataclass
class Life:
    """A session that was written on a recording disk.

    ``promised`` holds, for each moment, the seq up to which the level promised durability to
    whoever had been answered by then; None while the session itself was not promised yet.
    """

    path: Path
    moments: list[Moment]
    promised: list[int | None]
    log: bytes

    def content(self) -> bytes:
        return self.path.read_bytes()

    def note(self, disk: RecordingDisk, promised: int | None) -> None:
        """The moments since the last note came before ``promised`` was raised."""
        before = self.promised[-1] if self.promised else None
        self.promised += [before] * (len(disk.moments) - len(self.promised) - 1) + [promised]


async def live(directory: Path, name: str, level: Level, *, together: int) -> Life:
    """Write a golden session, ``together`` transactions at a time."""
    disk = RecordingDisk()
    store = await create_session(directory, make_options(disk, level=level))
    life = Life(store.path, disk.moments, [], b"")
    life.note(disk, 0)
    transactions = transactions_of(LOGS[name]())
    for start in range(0, len(transactions), together):
        batch = transactions[start : start + together]
        for facts in await asyncio.gather(*map(store.commit, batch)):
            synced = is_promise(facts, level)
            life.note(disk, facts[-1]["seq"] if synced else life.promised[-1])
    await store.close()
    life.log = life.content()
    return life


def judged(life: Life, left: dict[str, bytes], promised: int | None) -> bool:
    """Check what a power cut left; return whether the session is still there."""
    data = left.get(life.path.name)
    if data is None or b"\n" not in data:
        assert promised is None
        return False
    seals = left.get(seal_path(life.path).name)
    verdict = judge(data, None if seals is None else parse_sidecar(seals))
    if promised is None and data[:1] == b"\0":
        return False
    assert not isinstance(verdict, Damaged), verdict
    state = verdict.ledger.state
    assert data[: state.repaired_length] == life.log[: state.repaired_length]
    assert state == state_of(life.log[: state.repaired_length])
    assert state.next_seq - 1 >= (promised or 0)
    return True


@pytest.mark.asyncio
@pytest.mark.parametrize("together", [1, 4], ids=["one by one", "in groups"])
@pytest.mark.parametrize("level", LEVELS)
async def test_every_state_of_the_disk_opens_as_what_was_promised(
    tmp_path: Path, level: Level, together: int
) -> None:
    dice = random.Random(f"{level} {together}")
    lives = [
        await live(tmp_path / name, name, level, together=together)
        for name in ("whole run", "compacted", "aborted", "long result")
    ]
    for _ in range(STATES // 6):
        life = dice.choice(lives)
        at = dice.randrange(len(life.moments))
        judged(life, after_power_cut(life.moments[at], dice), life.promised[at])
    report(3, "states of a simulated disk", STATES // 6)


async def go_on(path: Path, name: str, level: Level) -> Life:
    """Open what a power cut left, which is on disk, and commit the rest of the session."""
    disk = RecordingDisk.holding(path.parent)
    store = await SessionStore.open(path, options=make_options(disk, level=level))
    life = Life(path, disk.moments, [], b"")
    life.note(disk, store.state.next_seq - 1)
    done = life.content().count(b"\n") - 1
    for transaction in transactions_of(LOGS[name]())[done:]:
        facts = await store.commit(transaction)
        synced = is_promise(facts, level)
        life.note(disk, facts[-1]["seq"] if synced else life.promised[-1])
    await store.close()
    life.log = life.content()
    return life


@pytest.mark.asyncio
@pytest.mark.parametrize("level", LEVELS)
async def test_a_second_power_cut_in_the_repair_or_after_it(tmp_path: Path, level: Level) -> None:
    dice = random.Random(level)
    life = await live(tmp_path / "first", "long result", level, together=1)
    for number in range(LIVES):
        at = dice.randrange(len(life.moments))
        left = after_power_cut(life.moments[at], dice)
        if not judged(life, left, life.promised[at]):
            continue
        path = tmp_path / str(number) / life.path.name
        place(path.parent, left)
        again = await go_on(path, "long result", level)
        assert again.log == life.log
        for _ in range(10 if again.moments else 0):
            at = dice.randrange(len(again.moments))
            left = after_power_cut(again.moments[at], dice)
            assert judged(again, left, again.promised[at])
        remove(path.parent)
    report(3, "second power cuts, in a repair or after it", LIVES * 10)


def place(directory: Path, files: dict[str, bytes]) -> None:
    directory.mkdir(mode=0o700)
    for name, content in files.items():
        (directory / name).write_bytes(content)


def remove(directory: Path) -> None:
    for path in directory.iterdir():
        path.unlink()
    directory.rmdir()
