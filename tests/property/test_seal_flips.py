"""Every single bit that flips: in the log it is noticed, in the sidecar it changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from tests.support.disk_golden import Golden, all_golden, state_of
from tests.support.torture import count, report, torturing

from perdure.store.seal import parse_sidecar
from perdure.store.verdict import Damaged, Sound, judge


def flips(data: bytes, *, sample: int) -> Iterator[tuple[int, bytes]]:
    """Yield (byte, data with one bit of it flipped): all, or a sample in an ordinary run."""
    bits: range | list[int] = range(len(data) * 8)
    if not torturing():
        bits = random.Random(len(data)).sample(bits, sample)
    for bit in bits:
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        yield bit // 8, bytes(changed)


@pytest.mark.parametrize("golden", all_golden(), ids=lambda golden: golden.name)
def test_a_flipped_bit_of_the_log_is_damage_at_its_line(golden: Golden) -> None:
    flipped = 0
    for place, data in flips(golden.log, sample=150):
        verdict = judge(data, golden.sidecar)
        assert isinstance(verdict, Damaged), (place, verdict)
        assert verdict.offset == golden.log.rfind(b"\n", 0, place) + 1, (place, verdict)
        assert verdict.line == golden.log.count(b"\n", 0, place) + 1
        flipped += 1
    report(2, "bits flipped in sealed logs", flipped)


@pytest.mark.parametrize("golden", all_golden(), ids=lambda golden: golden.name)
def test_a_flipped_bit_of_the_sidecar_does_not_condemn_the_log(golden: Golden) -> None:
    flipped = 0
    for place, seal in flips(golden.seal, sample=count(60, len(golden.seal) * 8)):
        verdict = judge(golden.log, parse_sidecar(seal))
        assert isinstance(verdict, Sound), (place, seal, verdict)
        assert verdict.ledger.state == state_of(golden.log)
        flipped += 1
    report(2, "bits flipped in sidecars", flipped)


@pytest.mark.parametrize("golden", all_golden(), ids=lambda golden: golden.name)
def test_a_flipped_bit_before_the_last_seal_is_damage(golden: Golden) -> None:
    """The sidecar may lag by a transaction: what it covers is guarded all the same."""
    *before, _, _ = golden.seal.split(b"\n")
    sidecar = parse_sidecar(b"\n".join([*before, b""]))
    covered = golden.ends[-2]
    flipped = 0
    for place, data in flips(golden.log[:covered], sample=40):
        verdict = judge(data + golden.log[covered:], sidecar)
        assert isinstance(verdict, Damaged), (place, verdict)
        flipped += 1
    report(2, "bits flipped in logs whose last line is not sealed", flipped)
