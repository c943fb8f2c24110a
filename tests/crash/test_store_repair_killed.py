"""A repair that is killed at any step, again and again, ends as if it had not been."""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.disk_golden import golden, state_of
from tests.support.faults import FaultyFiles
from tests.support.torture import report
from tests.unit.store.sessions import make_options

from perdure.store._opening import open_log
from perdure.store._seal_file import seal_path
from perdure.store.seal import Rule, parse_sidecar

GOLDEN = golden("long result", "barrier")
KILLED = 9


class DyingFiles(FaultyFiles):
    """Real files; the process ends in place of the ``nth`` change, a write half way."""

    def __init__(self, nth: int) -> None:
        super().__init__()
        self.rest = nth

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if self.rest == 1:
            super(FaultyFiles, self).write(fd, data[: len(data) // 2])
        return super().write(fd, data)

    def _next(self, operation: object, kind: object) -> None:
        self.rest -= 1
        if self.rest == 0:
            os._exit(KILLED)


@dataclass(frozen=True)
class Torn:
    """A log to repair: its bytes, how many of them stay, and the rule."""

    log: bytes
    stays: int
    rule: Rule
    sealed: bool = True

    def write(self, directory: Path) -> Path:
        directory.mkdir(mode=0o700)
        session_id = state_of(GOLDEN.log).header.id
        path = directory / f"2026-01-02T03-04-05-678Z_{session_id}.jsonl"
        path.write_bytes(self.log)
        if self.sealed:
            seals = [seal.encode() for seal in GOLDEN.sidecar.seals if seal.durable < 5]
            seal_path(path).write_bytes(b"".join(seals))
        return path


def blank_from(line: int) -> bytes:
    """Return the golden log with the sectors of one line and half the next never written."""
    start, end = GOLDEN.ends[line - 2], GOLDEN.ends[line - 1]
    return GOLDEN.log[:start] + bytes(end + 50 - start) + GOLDEN.log[end + 50 : GOLDEN.ends[-2]]


TORN = {
    "torn line": Torn(GOLDEN.log[: GOLDEN.ends[2] + 70], GOLDEN.ends[2], "R1"),
    "torn line, no sidecar": Torn(GOLDEN.log[: GOLDEN.ends[2] + 70], GOLDEN.ends[2], "R1", False),
    "sectors never written": Torn(blank_from(3), GOLDEN.ends[1], "R5"),
    "lines never written": Torn(GOLDEN.log[: GOLDEN.ends[1]], GOLDEN.ends[1], "R5"),
}


def killed_while_opening(path: Path, *, at: int) -> bool:
    """Open in a forked process that dies at a change; return whether it came to that."""
    child = os.fork()
    if child == 0:
        open_log(path, make_options(DyingFiles(at)))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == KILLED


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
@pytest.mark.parametrize("kills", [1, 3])
def test_a_killed_repair_ends_the_same_way(tmp_path: Path, torn: Torn, kills: int) -> None:
    removed = torn.log[torn.stays :]
    at, killed = 0, True
    while killed:
        at += 1
        path = torn.write(tmp_path / str(at))
        for _ in range(kills):
            killed = killed_while_opening(path, at=at)
        opened = open_log(path, make_options())
        opened.log.close()
        assert path.read_bytes() == torn.log[: torn.stays]
        assert opened.ledger.state == state_of(GOLDEN.log[: torn.stays])
        evidence = [file.read_bytes() for file in path.parent.glob("*.torn-*")]
        assert evidence == ([removed] if removed else [])
        sidecar = parse_sidecar(seal_path(path).read_bytes())
        assert sidecar.seals[-1].durable == sidecar.seals[-1].through
        (repair,) = sidecar.repairs
        assert (repair.offset, repair.rule) == (torn.stays, torn.rule)
        assert (repair.length, repair.sha256) == (len(removed), sha256(removed).hexdigest())
    assert at > 3
    report(6, "repairs killed", (at - 1) * kills)
