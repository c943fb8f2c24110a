"""Opening: a torn tail is cut and kept; damage is reported and left alone."""

from __future__ import annotations

import errno
import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.faults import Crash, Fault, FaultyFiles, crashes, fails
from tests.support.log import Log, session
from tests.unit.store.sessions import (
    FILE_NAME,
    make_options,
    open_session,
    user_draft,
    whole_run,
    write_session,
)

from perdure.errors import (
    SessionInUse,
    SessionNotFound,
    StorageFailed,
    StorageFull,
    StoreError,
)
from perdure.store._opening import open_log
from perdure.store.follow import read_session
from perdure.store.jsonl import SessionStore


def finished_run() -> Log:
    return session().prompt().attempt().answer("done").finish()


def evidence_in(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("*.torn-*")}


TAILS = [
    pytest.param(b'{"kind":"rec', id="half a record"),
    pytest.param(b"\0" * 4096, id="zeros"),
    pytest.param(b'{"kind":"usage"}', id="whole record without line feed"),
    pytest.param(b"\xff\xfe\xed\xa0\x80", id="not text"),
    pytest.param(b"\r", id="carriage return"),
]


@pytest.mark.asyncio
@pytest.mark.hazard("Garbage tail without LF", "4096 NUL bytes at the end")
@pytest.mark.parametrize("tail", TAILS)
async def test_a_torn_tail_is_kept_beside_the_file_and_cut(tmp_path: Path, tail: bytes) -> None:
    good = finished_run().to_bytes()
    store = await open_session(tmp_path, finished_run().tail(tail))
    torn = store.torn_tail
    assert torn is not None
    assert (torn.offset, torn.length) == (len(good), len(tail))
    stem = FILE_NAME.removesuffix(".jsonl")
    name = f"{stem}.torn-{len(good)}-{sha256(tail).hexdigest()[:8]}"
    assert evidence_in(tmp_path) == {name: tail}
    assert torn.evidence == tmp_path / name
    assert stat.S_IMODE(torn.evidence.stat().st_mode) == 0o600
    assert store.path.read_bytes() == good
    await store.commit([user_draft()])
    assert store.path.read_bytes().startswith(good)
    assert store.state == read_session(store.path)
    await store.close()


def test_every_prefix_opens_as_its_complete_lines_and_a_second_opening_changes_nothing(
    tmp_path: Path,
) -> None:
    content = whole_run().to_bytes()
    header_end = content.index(b"\n") + 1
    ends = [place for place in range(header_end, len(content)) if content[place] == ord("\n")]
    lengths = {*range(header_end, len(content), 97), *ends, *(end + 1 for end in ends)}
    for length in sorted(lengths):
        path = write_session(tmp_path / str(length), session())
        path.write_bytes(content[:length])
        expected = content[: content.rindex(b"\n", 0, length) + 1]
        for torn in (len(content[:length]) > len(expected), False):
            opened = open_log(path, make_options())
            opened.log.close()
            assert (opened.torn_tail is not None) == torn
            assert path.read_bytes() == expected
            assert opened.ledger.state == read_session(path)


@pytest.mark.parametrize(
    "crash",
    [
        crashes("create", 1),
        crashes("write", 1),
        crashes("sync", 1),
        crashes("sync_directory", 1),
        crashes("truncate", 1),
        crashes("sync", 2),
        Fault("write", 1, length=3),
    ],
    ids=lambda fault: f"{fault.operation} {fault.nth}",
)
def test_repair_that_was_interrupted_ends_the_same_way(tmp_path: Path, crash: Fault) -> None:
    tail = b'{"kind":"record","se'
    good = finished_run().to_bytes()
    path = write_session(tmp_path, finished_run().tail(tail))
    faults = [crash, crashes("write", 2)]
    with pytest.raises(Crash):
        open_log(path, make_options(FaultyFiles(*faults)))
    assert tail in [path.read_bytes()[len(good) :], *evidence_in(tmp_path).values()]
    opened = open_log(path, make_options())
    opened.log.close()
    assert path.read_bytes() == good
    assert list(evidence_in(tmp_path).values()) == [tail]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (fails("write", 1, errno.ENOSPC), StorageFull),
        (fails("sync", 1, errno.EIO), StorageFailed),
        (fails("truncate", 1, errno.EIO), StorageFailed),
    ],
    ids=["no room for the copy", "copy not synced", "not cut"],
)
def test_a_tail_that_cannot_be_kept_is_not_cut(
    tmp_path: Path, fault: Fault, expected: type[StoreError]
) -> None:
    path = write_session(tmp_path, finished_run().tail(b"torn"))
    content = path.read_bytes()
    with pytest.raises(expected):
        open_log(path, make_options(FaultyFiles(fault)))
    assert path.read_bytes() == content
    open_log(path, make_options()).log.close()


@pytest.mark.asyncio
@pytest.mark.hazard("50 MB log: opening writes nothing")
async def test_opening_and_closing_a_whole_file_writes_nothing(tmp_path: Path) -> None:
    path = write_session(tmp_path, finished_run())
    before = path.stat()
    store = await SessionStore.open(path, options=make_options())
    await store.close()
    after = path.stat()
    assert (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size)
    assert os.listdir(tmp_path) == [FILE_NAME]


@pytest.mark.asyncio
@pytest.mark.hazard("files 0600, directories 0700")
async def test_opening_makes_the_file_private_again(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    path.chmod(0o644)
    store = await SessionStore.open(path, options=make_options())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await store.close()


@pytest.mark.asyncio
async def test_a_session_that_is_not_there_or_is_a_link(tmp_path: Path) -> None:
    path = write_session(tmp_path, session())
    with pytest.raises(SessionNotFound):
        await SessionStore.open(tmp_path / "none.jsonl", options=make_options())
    link = tmp_path / "link" / FILE_NAME
    link.parent.mkdir()
    link.symlink_to(path)
    with pytest.raises(StoreError):
        await SessionStore.open(link, options=make_options())


@pytest.mark.asyncio
async def test_a_refused_open_leaves_the_session_free(tmp_path: Path) -> None:
    store = await open_session(tmp_path, session())
    with pytest.raises(SessionInUse):
        await SessionStore.open(store.path, options=make_options())
    await store.commit([user_draft()])
    await store.close()
    reopened = await SessionStore.open(store.path, options=make_options())
    assert reopened.state == store.state
    await reopened.close()
