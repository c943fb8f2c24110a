"""Opening: a torn tail is cut and kept; damage is reported and left alone."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.faults import Crash, Fault, FaultyFiles, crashes, fails
from tests.support.log import Log, session
from tests.support.wire import default_header, uid
from tests.unit.store.sessions import (
    FILE_NAME,
    make_options,
    open_session,
    user_draft,
    write_session,
)

from perdure.errors import (
    SessionCorrupt,
    SessionInUse,
    SessionNotFound,
    StorageFailed,
    StorageFull,
    StoreError,
    UnsupportedVersion,
)
from perdure.json_types import JsonObject
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


def users(count: int) -> Log:
    log = session()
    for number in range(count):
        log.user(f"line {number}")
    return log


def with_line(number: int, change: Callable[[bytes], bytes]) -> bytes:
    """Return 100 facts with the line of this number changed; the header is line 1."""
    lines = users(100).to_bytes().split(b"\n")
    lines[number - 1] = change(lines[number - 1])
    return b"\n".join(lines)


DAMAGED = [
    pytest.param(50, lambda line: line[:20] + b"\0\0\0" + line[23:], "MALFORMED_JSON", id="NULs"),
    pytest.param(60, lambda line: line[:-9], "MALFORMED_JSON", id="cut short"),
    pytest.param(60, lambda line: b"", "BLANK_LINE", id="blank"),
    pytest.param(60, lambda line: line + b"\r", "CRLF_NOT_ALLOWED", id="CRLF"),
    pytest.param(101, lambda line: line[:-9], "MALFORMED_JSON", id="last line"),
]


@pytest.mark.asyncio
@pytest.mark.hazard("NULs inside line 50 of 100", "100 facts, line 60 damaged", "corrupt log")
@pytest.mark.parametrize(("number", "change", "reason"), DAMAGED)
async def test_damage_is_reported_with_its_place_and_no_byte_changes(
    tmp_path: Path, number: int, change: Callable[[bytes], bytes], reason: str
) -> None:
    path = write_session(tmp_path, session())
    content = with_line(number, change) + b"torn tail"
    path.write_bytes(content)
    with pytest.raises(SessionCorrupt, match=f"line {number}, byte") as caught:
        await SessionStore.open(path, options=make_options())
    offset = sum(len(line) + 1 for line in content.split(b"\n")[: number - 1])
    assert (caught.value.reason, caught.value.line) == (reason, number)
    assert caught.value.offset == offset
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == [FILE_NAME]


def header(**changes: object) -> JsonObject:
    return default_header() | changes  # type: ignore[return-value]


@pytest.mark.asyncio
@pytest.mark.hazard("Header version newer or older")
@pytest.mark.parametrize(
    ("first_line", "version"),
    [
        (header(version=3), "3"),
        (header(version=1), "1"),
        (header(version=3, futureField=True), "3"),
        ({"type": "session", "version": 1, "id": "x"}, "1"),
    ],
    ids=["newer", "older", "newer with new keys", "the original's first format"],
)
async def test_another_version_is_named_and_no_byte_changes(
    tmp_path: Path, first_line: JsonObject, version: str
) -> None:
    path = write_session(tmp_path, session(first_line).tail(b"tail"))
    content = path.read_bytes()
    with pytest.raises(UnsupportedVersion, match=f"format version {version}"):
        await SessionStore.open(path, options=make_options())
    assert path.read_bytes() == content
    other = await open_session(tmp_path / "other", session())
    await other.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "content",
    [b"", b'{"kind":"header"', b"\n", b"null\n", b'{"version":2}\n'],
    ids=["empty", "torn header", "blank", "null", "no header"],
)
async def test_a_file_without_header_is_damaged(tmp_path: Path, content: bytes) -> None:
    path = write_session(tmp_path, session())
    path.write_bytes(content)
    with pytest.raises(SessionCorrupt):
        await SessionStore.open(path, options=make_options())
    assert path.read_bytes() == content


@pytest.mark.asyncio
async def test_a_file_under_another_sessions_name_is_refused(tmp_path: Path) -> None:
    path = write_session(tmp_path, session(header(id=uid("session", 2))))
    with pytest.raises(SessionCorrupt, match="its own name"):
        await SessionStore.open(path, options=make_options())


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
