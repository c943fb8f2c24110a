"""Torn or damaged: each of the rules R1 to R6, on both sides of its edge."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from tests.support.disk_golden import golden, state_of

from perdure.store.seal import Seal, Sidecar
from perdure.store.verdict import Damaged, Sound, Torn, has_blank_sector, judge

GOLDEN = golden("whole run", "barrier")
SEALS = GOLDEN.sidecar.seals[:4]
"""Of the header, the prompt (synced), the attempt (longer than a sector) and the answer."""


@dataclass(frozen=True)
class Case:
    """A log and its sidecar, to be changed; the log is cut before the second sync."""

    log: bytes = GOLDEN.log[: SEALS[-1].end]
    seals: tuple[Seal, ...] | None = SEALS

    def verdict(self) -> str:
        """Return the verdict in a few words."""
        seals = self.seals
        match judge(self.log, None if seals is None else Sidecar(seals, (), "barrier", 0)):
            case Sound():
                return "sound"
            case Torn(rule=rule, offset=offset):
                return f"torn {rule} from line {self.log[:offset].count(10) + 1}"
            case Damaged(rule=rule, line=line, reason=reason):
                return f"damaged {rule} at line {line}: {reason}"

    def cut(self, length: int) -> Case:
        return replace(self, log=self.log[:length])

    def plus(self, tail: bytes) -> Case:
        return replace(self, log=self.log + tail)

    def alone(self) -> Case:
        return replace(self, seals=None)

    def put(self, place: int, text: bytes) -> Case:
        return replace(self, log=self.log[:place] + text + self.log[place + len(text) :])

    def blank(self, number: int) -> Case:
        """Let the sectors of a line, LF aside, never have been written."""
        start = SEALS[number - 2].end
        return self.put(start, bytes(SEALS[number - 1].end - 1 - start))

    def synced(self) -> Case:
        """Let the sidecar say that everything was synced."""
        return replace(self, seals=tuple(seal._replace(durable=seal.through) for seal in SEALS))

    def sealed(self, *seals: Seal) -> Case:
        return replace(self, seals=seals)


WHOLE = Case()
THIRD = SEALS[1].end
LAST = SEALS[2].end
BLOT = bytes([SEALS[-1].chain[0] ^ 0x10]) + SEALS[-1].chain[1:]

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

IDS = [f"{number} {expected}" for number, (_, expected) in enumerate(CASES)]


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
