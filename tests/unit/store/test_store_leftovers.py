"""What an earlier crash or another program left beside a log, and files that are not to be."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.disk_golden import golden, state_of
from tests.unit.store.sessions import (
    FILE_NAME,
    make_options,
    open_session,
    user_draft,
    whole_run,
    write_session,
)

from perdure.errors import StoreError
from perdure.store._opening import create_log, open_log
from perdure.store._seal_file import SealFile, seal_path
from perdure.store.places import session_file_name
from perdure.store.seal import Repair, parse_sidecar

GOLDEN = golden("whole run", "barrier")


def test_evidence_that_does_not_continue_the_log_is_left_alone(tmp_path: Path) -> None:
    """Whole lines are no torn tail: what stands is what the log says."""
    log = whole_run().to_bytes()
    path = write_session(tmp_path, whole_run())
    removed = b'{"kind":"usage"}\n'
    digest = sha256(removed).hexdigest()[:8]
    evidence = path.with_suffix(f".torn-{len(log)}-{digest}")
    evidence.write_bytes(removed)
    opened = open_log(path, make_options())
    opened.log.close()
    assert opened.torn_tail is None
    assert opened.ledger.state == state_of(log)
    assert (path.read_bytes(), evidence.read_bytes()) == (log, removed)


@pytest.mark.asyncio
@pytest.mark.parametrize("content", [b"", b'{"level":"barr', b'{"level":"barrier"}\n'])
async def test_a_sidecar_without_a_seal_is_begun_again(tmp_path: Path, content: bytes) -> None:
    seal_path(tmp_path / FILE_NAME).write_bytes(content)
    store = await open_session(tmp_path, whole_run())
    await store.commit([user_draft()])
    await store.close()
    sidecar = seal_path(store.path).read_bytes()
    assert sidecar.startswith(b'{"level":"process"}\n')
    assert [seal.end for seal in parse_sidecar(sidecar).seals] == [
        len(whole_run().to_bytes()),
        store.path.stat().st_size,
    ]


def test_what_was_cut_is_told(tmp_path: Path) -> None:
    path = write_session(tmp_path, whole_run().tail(b"torn"))
    opened = open_log(path, make_options())
    opened.log.close()
    (evidence,) = tmp_path.glob("*.torn-*")
    assert str(opened.torn_tail) == (
        "4 bytes at the end of the session were dropped (the last line was never finished); "
        f"they are kept in {evidence}."
    )


def test_lines_that_never_reached_the_disk_leave_no_evidence(tmp_path: Path) -> None:
    """Sealed and not synced: the power went before the line was written."""
    third = GOLDEN.sidecar.seals[2]
    path = tmp_path / session_file_name(state_of(GOLDEN.log).header.id, 0)
    path.write_bytes(GOLDEN.log[: third.end])
    seal_path(path).write_bytes(b"".join(seal.encode() for seal in GOLDEN.sidecar.seals[:4]))
    opened = open_log(path, make_options())
    opened.log.close()
    assert opened.torn_tail is not None
    assert str(opened.torn_tail) == (
        f"The end of the session is missing from byte {third.end} on: "
        "lines that were written never reached the disk."
    )
    assert path.read_bytes() == GOLDEN.log[: third.end]
    assert list(tmp_path.glob("*.torn-*")) == []
    assert parse_sidecar(seal_path(path).read_bytes()).repairs[-1].length == 0


@pytest.mark.parametrize("lines", [b"", b"x\n", whole_run().to_bytes() + b"x\n"])
def test_what_is_no_session_is_not_created(tmp_path: Path, lines: bytes) -> None:
    with pytest.raises(StoreError, match="would not be a session"):
        create_log(tmp_path / FILE_NAME, lines, make_options())
    assert os.listdir(tmp_path) == []


def test_a_closed_sidecar_is_not_added_to(tmp_path: Path) -> None:
    seal = SealFile(make_options().files, tmp_path / FILE_NAME, level="full")
    seal.place = GOLDEN.sidecar.seals[0]
    seal.begin()
    before = seal_path(tmp_path / FILE_NAME).read_bytes()
    seal.close()
    seal.record(Repair(0, 0, "", "closed", "R1"))
    assert seal_path(tmp_path / FILE_NAME).read_bytes() == before
