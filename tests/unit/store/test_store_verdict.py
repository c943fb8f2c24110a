"""Torn or damaged: each of the rules R1 to R6, on both sides of its edge."""

from __future__ import annotations

import pytest
from tests.support.disk_golden import golden, state_of
from tests.unit.store.judged import BLOT, GOLDEN, LAST, SEALS, THIRD, WHOLE, Case

from perdure.store.verdict import Damaged, has_blank_sector, judge

CASES = [
    (WHOLE, "sound"),
    (WHOLE.alone(), "sound"),
    (WHOLE.sealed(), "sound"),
    (WHOLE.sealed(*SEALS[:2]), "sound"),
    (WHOLE.sealed(SEALS[3]), "sound"),
    (WHOLE.sealed(*SEALS[:3], SEALS[3]._replace(chain=BLOT)), "sound"),
    (WHOLE.sealed(SEALS[0]._replace(chain=bytes(16)), SEALS[3]), "sound"),
    # R1: the last line was not finished, unless its seal knows it
    (WHOLE.plus(b'{"kind'), "torn R1 from line 5"),
    (WHOLE.alone().plus(b"\0" * 600), "torn R1 from line 5"),
    (WHOLE.cut(-9), "torn R1 from line 4"),
    (WHOLE.cut(-1), "torn R1 from line 4"),
    (WHOLE.put(len(WHOLE.log) - 1, b"\x0b"), "damaged R1 at line 4: LF_ALTERED"),
    (WHOLE.put(len(WHOLE.log) - 1, b"\x0b").plus(b"more"), "damaged R1 at line 4: LF_ALTERED"),
    (WHOLE.put(len(WHOLE.log) - 1, b"\x0b").alone(), "torn R1 from line 4"),
    # R2: a later line fits its seal, which was written after a sync
    (WHOLE.synced().blank(3), "damaged R2 at line 3: MALFORMED_JSON"),
    # R3: no later line fits, but a seal was written after a sync
    (WHOLE.synced().blank(4), "damaged R3 at line 4: MALFORMED_JSON"),
    (WHOLE.synced().cut(LAST), "damaged R3 at line 4: SYNCED_LOST"),
    (WHOLE.synced().cut(LAST + 50), "damaged R3 at line 4: SYNCED_LOST"),
    # R4: not synced, but no sector is blank
    (WHOLE.put(THIRD, b"#"), "damaged R4 at line 3: MALFORMED_JSON"),
    (WHOLE.put(THIRD + 5, bytes(400)), "damaged R4 at line 3: MALFORMED_JSON"),
    (WHOLE.put(LAST + 9, b"\xff"), "damaged R4 at line 4: INVALID_UTF8"),
    (WHOLE.put(LAST + 9, b"\xed\xa0\x80"), "damaged R4 at line 4: MALFORMED_JSON"),
    (
        WHOLE.put(THIRD + 9, b"\xff").put(LAST + 9, b"\xed\xa0\x80"),
        "damaged R4 at line 3: INVALID_UTF8",
    ),
    (WHOLE.put(THIRD, b"#").put(LAST + 9, b"\xff"), "damaged R4 at line 3: MALFORMED_JSON"),
    # R5: not synced, and a sector was never written
    (WHOLE.blank(3), "torn R5 from line 3"),
    (WHOLE.blank(4), "torn R5 from line 4"),
    (WHOLE.cut(LAST), "torn R5 from line 4"),
    (WHOLE.blank(3).alone(), "damaged R6 at line 3: MALFORMED_JSON"),
    (WHOLE.blank(3).sealed(), "damaged R6 at line 3: MALFORMED_JSON"),
    # R6
    (WHOLE.put(WHOLE.log.index(b"do it"), b"D"), "damaged R6 at line 2: CHAIN_MISMATCH"),
    (WHOLE.put(WHOLE.log.index(b"/w"), b"/W"), "damaged R6 at line 1: CHAIN_MISMATCH"),
    (WHOLE.put(0, b"x"), "damaged R6 at line 1: MALFORMED_JSON"),
    (Case(golden("aborted", "barrier").log), "damaged R6 at line 4: CHAIN_MISMATCH"),
]


@pytest.mark.hazard("NULs inside line 50 of 100", "never opens as a shorter session")
@pytest.mark.parametrize(
    ("case", "expected"), CASES, ids=[f"{n} {c[1]}" for n, c in enumerate(CASES)]
)
def test_the_rules(case: Case, expected: str) -> None:
    assert case.verdict() == expected


def test_damage_is_reported_with_both_chains() -> None:
    damaged = judge(WHOLE.put(WHOLE.log.index(b"do it"), b"D").log, GOLDEN.sidecar)
    assert isinstance(damaged, Damaged)
    assert (damaged.line, damaged.offset, damaged.seq) == (2, SEALS[0].end, 1)
    assert damaged.expected == SEALS[1].chain.hex()
    assert damaged.actual not in (None, damaged.expected)
    assert damaged.stands == state_of(WHOLE.log[: SEALS[0].end])


def test_what_stands_before_the_damage_can_be_read() -> None:
    damaged = judge(WHOLE.put(LAST, b"#").log, None)
    assert isinstance(damaged, Damaged)
    assert damaged.stands == state_of(WHOLE.log[:LAST])
    headless = judge(b"garbage\n", None)
    assert isinstance(headless, Damaged)
    assert headless.stands is None


@pytest.mark.parametrize(
    ("start", "zeros", "length", "expected"),
    [
        (512, (512, 1024), 2048, True),
        (512, (513, 1100), 2048, False),
        (700, (700, 1024), 2048, True),
        (700, (701, 1024), 2048, False),
        (700, (0, 700), 2048, False),
        (600, (1536, 1600), 1600, True),
        (600, (1536, 1599), 1600, False),
    ],
)
def test_a_blank_sector(start: int, zeros: tuple[int, int], length: int, expected: bool) -> None:
    data = bytearray(b"x" * length)
    data[slice(*zeros)] = bytes(zeros[1] - zeros[0])
    assert has_blank_sector(bytes(data), start=start) == expected
