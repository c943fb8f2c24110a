"""A snapshot never changes the answer: the verdict on a log is the same with one and without.

Each golden log gets a snapshot at the end of each line; each is tried on the log as it was after
each line, with whatever sidecar a crash leaves, whole and torn; and then with every bit flipped.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import pytest
from tests.property.test_seal_flips import flips
from tests.property.test_seal_prefixes import sidecars
from tests.support.corpus import OWN, fixtures
from tests.support.disk_golden import Golden, all_golden, golden
from tests.support.torture import count, report, torturing

from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.session import load_ledger
from perdure.store._prefix_hash import prefix_hash
from perdure.store.seal import Seal, Sidecar, chains, parse_sidecar
from perdure.store.snapshot import Snapshot, parse_snapshot, resume, sidecar_of
from perdure.store.verdict import Sound, Torn, Verdict, judge

Judging: TypeAlias = Callable[[Snapshot, bytes, Sidecar | None], Verdict]

GOLDEN = [
    golden for golden in all_golden() if torturing() or golden.name.endswith(("barrier", "full"))
]


@cache
def snapshot_of(log: bytes) -> Snapshot:
    """Return the snapshot of a sound log, which has been on a disk."""
    ledger = load_ledger(log)
    assert isinstance(ledger, Ledger)
    *_, (_, chain) = chains(log, length=len(log))
    seal = Seal(ledger.state.next_seq - 1, len(log), 0, chain)
    written = Snapshot(seal, prefix_hash(log, len(log)), ledger.pack(), 0, "barrier")
    read = parse_snapshot(written.encode())
    assert read == written
    return read


def judge_from(snapshot: Snapshot, log: bytes, sidecar: Sidecar | None) -> Verdict:
    """Judge as the store does, by a sidecar that was read in full."""
    return resume(snapshot, log, sidecar) or judge(log, sidecar)


def same(verdict: Verdict, expected: Verdict) -> bool:
    """Return whether two verdicts agree in all but how they were reached."""
    if isinstance(verdict, Sound):
        verdict = replace(verdict, covered=0)
    return verdict == expected


def compare(log: bytes, sidecar: Sidecar | None) -> int:
    """Judge ``log`` with a snapshot at each of its lines; return how many there were."""
    expected = judge(log, sidecar)
    ends = [place + 1 for place, byte in enumerate(log) if byte == ord("\n")]
    for end in ends:
        verdict = judge_from(snapshot_of(log[:end]), log, sidecar)
        assert same(verdict, expected), (end, verdict, expected)
        if isinstance(verdict, Sound):
            assert verdict.ledger.state == _state(expected)
    return len(ends)


def lengths(golden: Golden) -> Iterator[int]:
    """Yield where the log may end: behind each line and within each, or behind some lines."""
    for start, end in zip([0, *golden.ends], golden.ends, strict=False):
        if torturing():
            yield from range(start + 1 if start else end, end, 30)
            yield end
        elif end in golden.ends[::4] or end == golden.ends[-1]:
            yield end
            yield end - 3


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_every_snapshot_gives_the_answer_of_a_full_reduction(golden: Golden) -> None:
    tried = 0
    for length in lengths(golden):
        log = golden.log[:length]
        for sidecar in sidecars(golden, log.rfind(b"\n") + 1):
            tried += compare(log, sidecar)
    report(15, "logs judged with a snapshot and without", tried)


def test_every_fixture_is_what_it_is_also_behind_a_snapshot() -> None:
    """Legal or not, each is tried with a snapshot of each of its legal beginnings."""
    tried = 0
    for fixture in fixtures(OWN):
        log = fixture.path.read_bytes()
        expected = judge(log, None)
        for end in (place + 1 for place, byte in enumerate(log) if byte == ord("\n")):
            if isinstance(load_ledger(log[:end]), Ledger):
                assert same(judge_from(snapshot_of(log[:end]), log, None), expected), fixture.name
                tried += 1
    report(15, "logs judged with a snapshot and without", tried)
    assert tried > 500


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_snapshot_serves_where_the_log_is_sound(golden: Golden) -> None:
    """Otherwise the tests above would compare the full reduction with itself."""
    for end in golden.ends:
        for sidecar in (None, golden.sidecar):
            snapshot = snapshot_of(golden.log[:end])
            verdict = judge_from(snapshot, golden.log, sidecar)
            assert isinstance(verdict, Sound)
            assert verdict.covered == end


def placed(golden: Golden, seal: Seal) -> Snapshot:
    """Return the snapshot that was taken when this was the last seal."""
    end = golden.seal.index(seal.encode()) + len(seal.encode())
    snapshot = snapshot_of(golden.log[: seal.end])
    return replace(snapshot, seal=seal, sidecar=end, level=golden.sidecar.level)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_sidecar_says_the_same_from_the_seal_of_a_snapshot_on(golden: Golden) -> None:
    expected = judge(golden.log, golden.sidecar)
    for seal in golden.sidecar.seals:
        snapshot = placed(golden, seal)
        sidecar = sidecar_of(golden.seal, snapshot)
        assert sidecar.seals == golden.sidecar.seals[golden.sidecar.seals.index(seal) :]
        assert (sidecar.level, sidecar.length) == (golden.sidecar.level, golden.sidecar.length)
        verdict = resume(snapshot, golden.log, sidecar)
        assert verdict is not None
        assert same(verdict, expected)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_flipped_bit_in_a_sidecar_changes_nothing(golden: Golden) -> None:
    snapshot = placed(golden, golden.sidecar.seals[-2])
    flipped = 0
    for place, changed in flips(golden.seal, sample=100):
        sidecar = sidecar_of(changed, snapshot)
        if sidecar.seals[:1] != (snapshot.seal,):
            assert sidecar == parse_sidecar(changed), place
        verdict = resume(snapshot, golden.log, sidecar)
        full = judge(golden.log, parse_sidecar(changed))
        assert isinstance(full, Sound), place
        assert verdict is None or verdict.ledger.state == full.ledger.state, place
        flipped += 1
    report(15, "bits flipped in sidecars with a snapshot", flipped)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_flipped_bit_in_a_snapshot_is_noticed(golden: Golden) -> None:
    content = snapshot_of(golden.log).encode()
    flipped = 0
    for place, changed in flips(content, sample=count(100, 20_000)):
        assert parse_snapshot(changed) is None, place
        flipped += 1
    report(15, "bits flipped in snapshots", flipped)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_a_flipped_bit_in_what_a_snapshot_covers_makes_it_useless(golden: Golden) -> None:
    end = golden.ends[-2]
    snapshot = snapshot_of(golden.log[:end])
    flipped = 0
    for place, changed in flips(golden.log[:end], sample=200):
        assert resume(snapshot, changed + golden.log[end:], golden.sidecar) is None, place
        flipped += 1
    report(15, "bits flipped in logs with a snapshot", flipped)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_damage_is_reported_as_without_a_snapshot(golden: Golden) -> None:
    snapshot = snapshot_of(golden.log[: golden.ends[-2]])
    dice = random.Random(len(golden.log))
    for _ in range(count(30, 1000)):
        place = dice.randrange(len(golden.log))
        changed = bytearray(golden.log)
        changed[place] ^= 1 << dice.randrange(8)
        for sidecar in (None, golden.sidecar):
            expected = judge(bytes(changed), sidecar)
            assert same(judge_from(snapshot, bytes(changed), sidecar), expected), place


@pytest.mark.parametrize("other", ["compacted", "aborted", "unfinished"])
def test_a_snapshot_of_another_log_is_of_no_use(other: str) -> None:
    log, another = golden("whole run", "barrier"), golden(other, "barrier")
    foreign = [end for end in another.ends if another.log[:end] != log.log[:end]]
    assert foreign
    for end in foreign:
        assert resume(snapshot_of(another.log[:end]), log.log, log.sidecar) is None


def test_a_snapshot_of_lines_that_were_cut_is_of_no_use() -> None:
    log = golden("whole run", "barrier")
    snapshot = snapshot_of(log.log)
    for end in log.ends[:-1]:
        assert resume(snapshot, log.log[:end], None) is None


def trusting(snapshot: Snapshot, log: bytes, sidecar: Sidecar | None) -> Verdict:
    """Judge without looking at what the snapshot covers."""
    prefix = prefix_hash(log, snapshot.seal.end)
    return judge_from(replace(snapshot, prefix=prefix), log, sidecar)


def forgetful(snapshot: Snapshot, log: bytes, sidecar: Sidecar | None) -> Verdict:
    """Judge with a snapshot that lost what was reserved."""
    indexes = bytes(snapshot.packed.indexes).replace(b'"toolResult"', b'"identity"')
    packed = snapshot.packed._replace(indexes=indexes)
    return judge_from(replace(snapshot, packed=packed), log, sidecar)


def hasty(snapshot: Snapshot, log: bytes, sidecar: Sidecar | None) -> Verdict:
    """Judge the complete lines only."""
    return judge_from(snapshot, log[: log.rfind(b"\n") + 1], sidecar)


@pytest.mark.parametrize("judging", [trusting, forgetful, hasty])
def test_these_tests_find_a_defect(judging: Judging) -> None:
    whole = golden("whole run", "barrier")
    flipped = bytearray(whole.log)
    flipped[whole.ends[1] + 40] ^= 1
    assert not all(
        same(judging(snapshot_of(whole.log[:end]), log, None), judge(log, None))
        for log in (bytes(flipped), whole.log[:-5], whole.log)
        for end in whole.ends[:-1]
    )


def _state(verdict: Verdict) -> object:
    assert isinstance(verdict, Sound | Torn)
    return verdict.ledger.state
