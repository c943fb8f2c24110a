"""``S.queue.json``: what waits is all there or as before, and never dropped in silence."""

from __future__ import annotations

import errno
import json
from hashlib import sha256
from pathlib import Path

import pytest
from tests.support.faults import Crash, FaultyFiles, Operation, crashes, fails
from tests.support.wire import uid
from tests.unit.store.sessions import FILE_NAME, make_options

from perdure.errors import StorageFull
from perdure.store.levels import Level
from perdure.store.queue_file import QueuedPrompt, QueueFile, SetAside, peek_queue, queue_path

ONE = QueuedPrompt(uid("entry", 1), "first\u2028 line \U0001f642")
TWO = QueuedPrompt(uid("entry", 2), "second", ("a block", "another"))


def _file(tmp_path: Path, *, files: FaultyFiles | None = None, level: Level = "full") -> QueueFile:
    return QueueFile(tmp_path / FILE_NAME, make_options(files, level=level))


def test_what_waits_comes_back_in_its_order(tmp_path: Path) -> None:
    file = _file(tmp_path)
    assert file.read() == ()
    file.write([TWO, ONE])
    assert file.read() == peek_queue(tmp_path / FILE_NAME) == (TWO, ONE)
    assert queue_path(tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_an_empty_queue_has_no_file(tmp_path: Path) -> None:
    file = _file(tmp_path)
    file.write([])
    file.write([ONE])
    file.write([])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("process", ["create", "write"]),
        ("barrier", ["create", "write", "sync", "sync_directory"]),
        ("full", ["create", "write", "sync", "sync_directory"]),
    ],
)
def test_the_level_says_what_is_synced(
    tmp_path: Path, level: Level, expected: list[Operation]
) -> None:
    files = FaultyFiles()
    _file(tmp_path, files=files, level=level).write([ONE])
    assert files.trace == expected


@pytest.mark.parametrize(("level", "expected"), [("process", []), ("barrier", ["sync_directory"])])
def test_emptying_is_as_durable_as_the_level_demands(
    tmp_path: Path, level: Level, expected: list[Operation]
) -> None:
    files = FaultyFiles()
    file = _file(tmp_path, files=files, level=level)
    file.write([ONE])
    files.add()
    file.write([])
    assert files.trace == expected
    assert file.read() == ()


@pytest.mark.parametrize("operation", ["create", "write", "sync"])
def test_a_crash_leaves_the_old_queue(tmp_path: Path, operation: Operation) -> None:
    files = FaultyFiles()
    file = _file(tmp_path, files=files)
    file.write([ONE])
    files.add(crashes(operation, 1))
    with pytest.raises(Crash):
        file.write([ONE, TWO])
    assert file.read() == (ONE,)
    files.add()
    file.write([TWO])
    assert file.read() == (TWO,)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_leaves_the_old_queue(tmp_path: Path) -> None:
    files = FaultyFiles()
    file = _file(tmp_path, files=files)
    file.write([ONE])
    files.add(fails("write", 1, errno.ENOSPC))
    with pytest.raises(StorageFull):
        file.write([TWO])
    assert file.read() == (ONE,)
    assert len(list(tmp_path.iterdir())) == 1


def _content(*items: object, version: object = 1) -> bytes:
    return json.dumps({"version": version, "items": list(items)}).encode()


ITEM = {"id": ONE.id, "text": "text"}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 64,
        _content(ITEM)[:-3],
        b"[]",
        b"null",
        b'{"version":1}',
        _content(ITEM, version=2),
        _content(ITEM, "text"),
        _content(ITEM, ITEM),
        _content({"id": "1", "text": "text"}),
        _content({"id": ONE.id, "text": ""}),
        _content({"id": ONE.id, "text": 5}),
        _content(ITEM | {"attached": "block"}),
        _content(ITEM | {"attached": ["block", 5]}),
        b"\xff\xfe",
    ],
)
def test_a_damaged_queue_is_set_aside_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = queue_path(tmp_path / FILE_NAME)
    path.write_bytes(content)
    assert peek_queue(tmp_path / FILE_NAME) == ()
    assert path.read_bytes() == content
    file = _file(tmp_path)
    kept = file.read()
    assert isinstance(kept, SetAside)
    assert kept.evidence.name.endswith(f".queue.damaged-{sha256(content).hexdigest()[:8]}")
    assert kept.evidence.read_bytes() == content
    assert file.read() == ()
