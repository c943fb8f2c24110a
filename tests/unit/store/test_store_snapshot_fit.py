"""A snapshot serves the log that it is of, where that is sound; otherwise it is as if not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.disk_golden import golden

from perdure.core.reducer.ledger import Ledger
from perdure.core.reducer.session import load_ledger
from perdure.store._prefix_hash import prefix_hash
from perdure.store.seal import Repair, Seal, encode_level, parse_sidecar
from perdure.store.snapshot import Snapshot, judge_from, sidecar_of
from perdure.store.verdict import Sound, judge

GOLDEN = golden("whole run", "barrier")
SEALS = GOLDEN.sidecar.seals[:6]
SEAL = SEALS[3]
"""The one of the snapshot."""
LOG = GOLDEN.log[: SEALS[-1].end]
LEVEL = encode_level("barrier")
WRONG = SEALS[-1]._replace(chain=bytes(16))


def lines(*seals: Seal) -> bytes:
    return b"".join(seal.encode() for seal in seals)


BEFORE = LEVEL + lines(*SEALS[:4])
BEHIND = lines(*SEALS[4:])
REPAIRED = Repair(SEALS[0].end, 1, "", "torn", "R1").encode()


def snapshot() -> Snapshot:
    """Return the snapshot of the log's first four lines."""
    log = LOG[: SEAL.end]
    ledger = load_ledger(log)
    assert isinstance(ledger, Ledger)
    return Snapshot(SEAL, prefix_hash(log, len(log)), ledger.pack(), len(BEFORE), "barrier")


@pytest.mark.parametrize(
    ("log", "content", "serves"),
    [
        pytest.param(LOG, BEFORE + BEHIND, True, id="fits"),
        pytest.param(LOG, LEVEL, True, id="no seals"),
        pytest.param(LOG, None, True, id="no sidecar"),
        pytest.param(LOG[: SEAL.end], BEFORE, True, id="nothing behind it"),
        pytest.param(LOG[: SEALS[2].end], None, False, id="log is shorter"),
        pytest.param(LOG[:-1], None, False, id="log is torn"),
        pytest.param(LOG.replace(b"do it", b"to it"), None, False, id="another log"),
        pytest.param(LOG + b"x\n", None, False, id="bad line behind it"),
        pytest.param(LOG, BEFORE + lines(WRONG), False, id="a seal does not fit"),
    ],
)
def test_where_it_serves(log: bytes, content: bytes | None, serves: bool) -> None:
    verdict = judge_from(snapshot(), log, content)
    if isinstance(verdict, Sound):
        assert verdict.covered == (SEAL.end if serves else 0)
        verdict = replace(verdict, covered=0)
    assert verdict == judge(log, None if content is None else parse_sidecar(content))


@pytest.mark.parametrize(
    ("content", "numbers"),
    [
        pytest.param(BEFORE + BEHIND, [3, 4, 5], id="from its own seal on"),
        pytest.param(BEFORE + BEHIND + b'{"through', [3, 4, 5], id="and a torn one"),
        pytest.param(LEVEL + lines(*SEALS[1:]), [1, 2, 3, 4, 5], id="seal in another place"),
        pytest.param(BEFORE + REPAIRED + BEHIND, [0, 4, 5], id="repaired since"),
        pytest.param(BEFORE + encode_level("full") + BEHIND, [3, 4, 5], id="another level since"),
    ],
)
def test_which_seals_are_read(content: bytes, numbers: list[int]) -> None:
    """What else the sidecar says is what it says when it is read in full."""
    sidecar = sidecar_of(content, snapshot())
    assert list(sidecar.seals) == [SEALS[number] for number in numbers]
    assert sidecar == replace(parse_sidecar(content), seals=sidecar.seals)
    assert sidecar_of(content, None) == parse_sidecar(content)
