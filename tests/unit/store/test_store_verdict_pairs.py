"""Each condition of the rules R1 to R6 decides alone.

A row holds two logs with their sidecars that differ in one condition only, and what is said of
each. So a condition that is left out, turned round or moved by one makes a row fail.
"""

from __future__ import annotations

import pytest
from tests.unit.store.judged import LAST, SEALS, THIRD, WHOLE, Case

from perdure.store.seal import Seal

NO_LF = len(WHOLE.log) - 1
SECTOR = -(-THIRD // 512) * 512
"""The first sector of which line 3 holds every byte."""


def durable(number: int, seq: int) -> tuple[Seal, ...]:
    """Let one seal say that all up to ``seq`` was synced, and no other that anything was."""
    seals = [seal._replace(durable=0) for seal in SEALS]
    seals[number - 1] = seals[number - 1]._replace(durable=seq)
    return tuple(seals)


def foreign(number: int) -> Seal:
    """Return the seal of a line with a chain of another log."""
    return SEALS[number - 1]._replace(chain=bytes(16))


def blotted(number: int, *, bits: int = 0x10) -> Seal:
    """Return the seal of a line with wrong digits in its chain, one unless ``bits`` says two."""
    first, *rest = SEALS[number - 1].chain
    return SEALS[number - 1]._replace(chain=bytes([first ^ bits, *rest]))


ALTERED = WHOLE.put(NO_LF, b"\x0b")
BAD_THIRD = WHOLE.blank(3)
BAD_LAST = WHOLE.blank(4)

PAIRS = [
    (
        "R1: there are bytes after the last LF",
        (WHOLE.plus(b"{"), "torn R1 from line 5"),
        (WHOLE, "sound"),
    ),
    (
        "R1: they are as many as a sealed line has",
        (ALTERED, "damaged R1 at line 4: LF_ALTERED"),
        (ALTERED.cut(NO_LF), "torn R1 from line 4"),
    ),
    (
        "R1: they fit its seal but for the LF",
        (ALTERED, "damaged R1 at line 4: LF_ALTERED"),
        (ALTERED.put(LAST + 9, b"#"), "torn R1 from line 4"),
    ),
    (
        "R1: a seal covers them",
        (ALTERED, "damaged R1 at line 4: LF_ALTERED"),
        (ALTERED.sealed(*SEALS[:3]), "torn R1 from line 4"),
    ),
    (
        "R1 before R3: an altered LF says more than that synced facts are gone",
        (ALTERED.synced(), "damaged R1 at line 4: LF_ALTERED"),
        (ALTERED.synced().put(LAST + 9, b"#"), "damaged R3 at line 4: SYNCED_LOST"),
    ),
    (
        "R2: a later line fits its seal",
        (BAD_THIRD.synced(), "damaged R2 at line 3: MALFORMED_JSON"),
        (BAD_THIRD.synced().put(LAST + 9, b"#"), "damaged R3 at line 3: MALFORMED_JSON"),
    ),
    (
        "R2: there is a later line",
        (BAD_THIRD.synced(), "damaged R2 at line 3: MALFORMED_JSON"),
        (BAD_THIRD.synced().cut(LAST), "damaged R3 at line 3: MALFORMED_JSON"),
    ),
    (
        "R2: its seal says that s was synced",
        (BAD_THIRD.sealed(*durable(4, 3)), "damaged R2 at line 3: MALFORMED_JSON"),
        (BAD_THIRD.sealed(*durable(4, 2)), "torn R5 from line 3"),
    ),
    (
        "R2: it is the seal of the later line that says so",
        (BAD_THIRD.sealed(*durable(4, 3)), "damaged R2 at line 3: MALFORMED_JSON"),
        (BAD_THIRD.sealed(*durable(3, 3)), "damaged R3 at line 3: MALFORMED_JSON"),
    ),
    (
        "R3: a seal says that s was synced",
        (BAD_LAST.sealed(*durable(4, 4)), "damaged R3 at line 4: MALFORMED_JSON"),
        (BAD_LAST.sealed(*durable(4, 3)), "torn R5 from line 4"),
    ),
    (
        "R3: the seal is one of what does not stand",
        (BAD_LAST.sealed(*durable(4, 4)), "damaged R3 at line 4: MALFORMED_JSON"),
        (BAD_LAST.sealed(*durable(3, 4)), "torn R5 from line 4"),
    ),
    (
        "R3, no bad line: a seal says that s was synced",
        (WHOLE.cut(LAST).sealed(*durable(4, 4)), "damaged R3 at line 4: SYNCED_LOST"),
        (WHOLE.cut(LAST).sealed(*durable(4, 3)), "torn R5 from line 4"),
    ),
    (
        "R3, no bad line: any of the seals",
        (WHOLE.cut(THIRD).sealed(*durable(3, 3)), "damaged R3 at line 3: SYNCED_LOST"),
        (WHOLE.cut(THIRD).sealed(*durable(2, 3)), "torn R5 from line 3"),
    ),
    (
        "R3 before R1: what was synced is gone, whatever is torn there",
        (WHOLE.cut(LAST + 9).sealed(*durable(4, 4)), "damaged R3 at line 4: SYNCED_LOST"),
        (WHOLE.cut(LAST + 9).sealed(*durable(4, 3)), "torn R1 from line 4"),
    ),
    (
        "R4: no sector is blank",
        (WHOLE.put(SECTOR, bytes(511)), "damaged R4 at line 3: MALFORMED_JSON"),
        (WHOLE.put(SECTOR, bytes(512)), "torn R5 from line 3"),
    ),
    (
        "R4: nor the part of one from the bad line on",
        (WHOLE.put(THIRD + 1, bytes(SECTOR - THIRD - 1)), "damaged R4 at line 3: MALFORMED_JSON"),
        (WHOLE.put(THIRD, bytes(SECTOR - THIRD)), "torn R5 from line 3"),
    ),
    (
        "R5: a seal vouches for the lines before",
        (BAD_THIRD.sealed(*SEALS[1:]), "torn R5 from line 3"),
        (BAD_THIRD.sealed(*SEALS[2:]), "damaged R6 at line 3: MALFORMED_JSON"),
    ),
    (
        "R5: there is a sidecar",
        (BAD_THIRD, "torn R5 from line 3"),
        (BAD_THIRD.alone(), "damaged R6 at line 3: MALFORMED_JSON"),
    ),
    (
        "R5, no bad line: sealed lines are missing",
        (WHOLE.cut(LAST), "torn R5 from line 4"),
        (WHOLE.cut(LAST).sealed(*SEALS[:3]), "sound"),
    ),
    (
        "R6: the header does not stand",
        (WHOLE.put(0, b"#"), "damaged R6 at line 1: MALFORMED_JSON"),
        (WHOLE, "sound"),
    ),
    (
        "R6: the last seal does not fit",
        (WHOLE.sealed(*SEALS[:3], foreign(4)), "damaged R6 at line 4: CHAIN_MISMATCH"),
        (WHOLE, "sound"),
    ),
    (
        "R6: the seal is one of what stands",
        (WHOLE.sealed(*SEALS[:3], foreign(4)), "damaged R6 at line 4: CHAIN_MISMATCH"),
        (WHOLE.sealed(*SEALS[:3], foreign(4)._replace(end=NO_LF + 2)), "torn R5 from line 5"),
    ),
    (
        "R6: more than one digit of its chain is wrong",
        (
            WHOLE.sealed(*SEALS[:3], blotted(4, bits=0x11)),
            "damaged R6 at line 4: CHAIN_MISMATCH",
        ),
        (WHOLE.sealed(*SEALS[:3], blotted(4)), "sound"),
    ),
    (
        "R6: no line ends where it says",
        (
            WHOLE.sealed(*SEALS[:3], blotted(4)._replace(end=NO_LF)),
            "damaged R6 at line 4: CHAIN_MISMATCH",
        ),
        (WHOLE.sealed(*SEALS[:3], blotted(4)), "sound"),
    ),
    (
        "R6: no later seal fits",
        (WHOLE.sealed(*SEALS[:2], foreign(3)), "damaged R6 at line 3: CHAIN_MISMATCH"),
        (WHOLE.sealed(*SEALS[:2], foreign(3), SEALS[3]), "sound"),
    ),
    (
        "R6: it is behind the last seal that fits",
        (WHOLE.sealed(*SEALS[:2], foreign(3), blotted(4)), "damaged R6 at line 3: CHAIN_MISMATCH"),
        (WHOLE.sealed(SEALS[0], foreign(2), SEALS[2], blotted(4)), "sound"),
    ),
    (
        "R6: any of the seals there",
        (WHOLE.sealed(*SEALS[:2], blotted(3), foreign(4)), "damaged R6 at line 3: CHAIN_MISMATCH"),
        (WHOLE.sealed(*SEALS[:2], blotted(3), blotted(4)), "sound"),
    ),
    (
        "R6 before R1 to R5: sealed bytes differ before the bad line",
        (
            WHOLE.put(WHOLE.log.index(b"do it"), b"D").blank(4),
            "damaged R6 at line 2: CHAIN_MISMATCH",
        ),
        (BAD_LAST, "torn R5 from line 4"),
    ),
]


@pytest.mark.parametrize(
    ("holds", "fails"),
    [pytest.param(holds, fails, id=condition) for condition, holds, fails in PAIRS],
)
def test_a_condition_decides_alone(holds: tuple[Case, str], fails: tuple[Case, str]) -> None:
    assert [case.verdict() for case, _ in (holds, fails)] == [holds[1], fails[1]]
    assert holds[1] != fails[1]
