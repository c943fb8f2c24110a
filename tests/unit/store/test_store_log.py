"""Appending: all of it, or a file that is as before, or a log that refuses everything."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.faults import Fault, FaultyFiles, fails, short

from perdure.errors import StorageFailed, StorageFull, StoreError
from perdure.store._log import RESERVE, LogFile
from perdure.store.lock import acquire

HEAD = b'{"kind":"header"}\n'
LINE = b'{"kind":"usage"}\n'


class Writing:
    """A log on a file that starts with one line."""

    def __init__(self, path: Path, files: FaultyFiles | None = None) -> None:
        self.path = path
        self.path.write_bytes(HEAD)
        self.files = files or FaultyFiles()
        fd = self.files.open(path)
        self.log = LogFile(self.files, acquire(self.files, fd, path, now=lambda: 0), len(HEAD))

    @property
    def content(self) -> bytes:
        return self.path.read_bytes()


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    started = Writing(tmp_path / "a.jsonl")
    yield started
    started.log.close()


def test_lines_are_written_with_one_write(writing: Writing) -> None:
    writing.log.append(LINE, sync=False)
    assert writing.content == HEAD + LINE
    assert writing.files.trace == ["reserve", "write"]


def test_a_sync_follows_the_write(writing: Writing) -> None:
    writing.log.append(LINE, sync=True)
    assert writing.files.trace == ["reserve", "write", "sync"]


@pytest.mark.requirement(33)
def test_nothing_is_written_to_a_deleted_file(writing: Writing) -> None:
    writing.path.unlink()
    for _ in range(2):
        with pytest.raises(StorageFailed, match="deleted the session's file"):
            writing.log.append(LINE, sync=True)
    assert "write" not in writing.files.trace


@pytest.mark.hazard("A write that returns fewer bytes than asked")
def test_a_short_write_is_continued(writing: Writing) -> None:
    writing.files.add(short(1, length=3), short(2, length=4))
    writing.log.append(LINE, sync=False)
    assert writing.content == HEAD + LINE


@pytest.mark.hazard("A write that returns fewer bytes than asked")
@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        pytest.param([fails("write", 1, errno.ENOSPC)], StorageFull, id="full"),
        pytest.param([fails("write", 1, errno.EDQUOT)], StorageFull, id="quota"),
        pytest.param([fails("write", 1, errno.EIO)], StorageFailed, id="broken"),
        pytest.param(
            [short(1, length=5), fails("write", 2, errno.ENOSPC)], StorageFull, id="full half way"
        ),
        pytest.param([short(1, length=5), short(2, length=0)], StorageFailed, id="no progress"),
    ],
)
def test_a_failed_write_leaves_no_trace_and_the_next_one_works(
    writing: Writing, faults: list[Fault], expected: type[StoreError]
) -> None:
    writing.files.add(*faults)
    with pytest.raises(expected, match="Nothing was written"):
        writing.log.append(LINE, sync=False)
    assert writing.content == HEAD
    assert writing.files.trace[-2:] == ["truncate", "sync"]
    writing.log.append(LINE, sync=False)
    assert writing.content == HEAD + LINE


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param([fails("sync", 1, errno.EIO)], id="sync after the write"),
        pytest.param(
            [short(1, length=5), fails("write", 2, errno.EIO), fails("truncate", 1, errno.EIO)],
            id="cutting back",
        ),
        pytest.param(
            [short(1, length=5), fails("write", 2, errno.EIO), fails("sync", 1, errno.EIO)],
            id="sync after cutting back",
        ),
    ],
)
def test_an_unknown_outcome_ends_the_writer_for_ever(writing: Writing, faults: list[Fault]) -> None:
    writing.files.add(*faults)
    with pytest.raises(StorageFailed, match="unknown"):
        writing.log.append(LINE, sync=True)
    after = writing.content
    writing.files.add()
    with pytest.raises(StorageFailed, match="unknown"):
        writing.log.append(LINE, sync=False)
    assert writing.content == after
    assert writing.files.trace == []


@pytest.mark.parametrize("foreign", [b"x", b'{"kind":"record"}\n'])
def test_foreign_bytes_end_the_writer(writing: Writing, foreign: bytes) -> None:
    with writing.path.open("ab") as file:
        file.write(foreign)
    for _ in range(2):
        with pytest.raises(StorageFailed, match="Something else wrote"):
            writing.log.append(LINE, sync=False)
    writing.log.close()
    assert writing.content == HEAD + foreign


def test_blocks_are_reserved_ahead_and_given_back(writing: Writing) -> None:
    before = os.stat(writing.path).st_blocks
    writing.log.append(LINE, sync=False)
    written = os.stat(writing.path)
    reserved = written.st_blocks - before
    writing.log.close()
    assert os.stat(writing.path).st_mtime_ns == written.st_mtime_ns
    if not reserved:
        pytest.skip("this file system does not reserve blocks")
    assert reserved * 512 >= RESERVE // 2
    assert os.stat(writing.path).st_blocks <= before + 8
    assert writing.content == HEAD + LINE


def test_the_reserve_of_a_killed_writer_is_given_back(tmp_path: Path) -> None:
    killed = Writing(tmp_path / "a.jsonl")
    killed.log.append(LINE, sync=False)
    left = os.stat(killed.path)
    killed.log._lock.release()
    if left.st_blocks * 512 < RESERVE:
        pytest.skip("this file system does not reserve blocks")
    fd = killed.files.open(killed.path)
    lock = acquire(killed.files, fd, killed.path, now=lambda: 0)
    LogFile(killed.files, lock, left.st_size).close()
    now = os.stat(killed.path)
    assert now.st_blocks <= 8
    assert (now.st_size, now.st_mtime_ns) == (left.st_size, left.st_mtime_ns)


def test_the_reserve_is_renewed_when_half_is_used(writing: Writing) -> None:
    line = b"x" * (RESERVE // 4) + b"\n"
    for _ in range(4):
        writing.log.append(line, sync=False)
    assert writing.files.trace.count("reserve") == 2


def test_a_closed_log_is_not_written_to(writing: Writing) -> None:
    writing.log.close()
    with pytest.raises(StorageFailed, match="not open for writing"):
        writing.log.append(LINE, sync=False)
    assert writing.content == HEAD


def test_nothing_is_written_to_a_file_that_cannot_be_looked_at(writing: Writing) -> None:
    writing.files.add(fails("stat", 1, errno.EIO))
    with pytest.raises(StorageFailed, match="Nothing was written"):
        writing.log.append(LINE, sync=False)
    assert writing.content == HEAD
    writing.files.add()
    writing.log.append(LINE, sync=False)
    assert writing.content == HEAD + LINE


class Unreserving(FaultyFiles):
    """A system that reserves no blocks."""

    def reserve(self, fd: int, offset: int, length: int) -> bool:
        self._next("reserve", "log")
        return False


def test_where_nothing_is_reserved_nothing_is_given_back(tmp_path: Path) -> None:
    writing = Writing(tmp_path / "a.jsonl", Unreserving())
    writing.log.append(LINE, sync=False)
    writing.log.append(LINE, sync=False)
    modified = os.stat(writing.path).st_mtime_ns
    writing.log.close()
    assert writing.files.trace == ["reserve", "write"] * 2
    assert os.stat(writing.path).st_mtime_ns == modified
    assert writing.content == HEAD + LINE * 2
