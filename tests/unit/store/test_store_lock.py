"""One writer per session, and who is told that somebody else is it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from perdure.errors import SessionInUse, StoreError
from perdure.store._fs import SystemFiles
from perdure.store.lock import WriterLock, acquire

FILES = SystemFiles()


def lock_file(path: Path) -> WriterLock:
    return acquire(FILES, FILES.open(path), path, now=lambda: 1234)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x\n")
    return path


@pytest.mark.hazard("Second server on the same workspace")
def test_a_second_writer_is_told_who_holds_the_lock(log: Path) -> None:
    first = lock_file(log)
    with pytest.raises(SessionInUse, match=str(os.getpid())) as caught:
        lock_file(log)
    assert caught.value.pid == os.getpid()
    first.release()
    lock_file(log).release()


def test_the_owner_file_is_private_and_goes_with_the_lock(log: Path) -> None:
    owner = log.with_suffix(".owner")
    held = lock_file(log)
    assert stat.S_IMODE(owner.stat().st_mode) == 0o600
    content = json.loads(owner.read_text())
    assert (content["pid"], content["startedAt"]) == (os.getpid(), 1234)
    held.release()
    held.release()
    assert not owner.exists()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param("[1]", id="other shape"),
        pytest.param('{"pid": 1, "bootId": "another boot"}', id="before the last boot"),
    ],
)
def test_an_owner_file_that_tells_nothing_is_not_believed(log: Path, content: str) -> None:
    held = lock_file(log)
    log.with_suffix(".owner").write_text(content)
    with pytest.raises(SessionInUse, match="another process") as caught:
        lock_file(log)
    assert caught.value.pid is None
    held.release()


def test_a_left_owner_file_does_not_lock(log: Path) -> None:
    log.with_suffix(".owner").write_text(json.dumps({"pid": os.getpid(), "bootId": ""}))
    lock_file(log).release()


def test_a_symbolic_link_is_not_opened(log: Path) -> None:
    link = log.with_name("b.jsonl")
    link.symlink_to(log)
    with pytest.raises(OSError, match="symbolic"):
        FILES.open(link)


def test_a_file_with_two_names_is_refused(log: Path) -> None:
    log.with_name("b.jsonl").hardlink_to(log)
    with pytest.raises(StoreError, match="Unsafe session path"):
        lock_file(log)


def test_a_path_that_names_another_file_by_now_is_refused(log: Path) -> None:
    fd = FILES.open(log)
    log.rename(log.with_name("moved.jsonl"))
    log.write_bytes(b"other\n")
    with pytest.raises(StoreError, match="Unsafe session path"):
        acquire(FILES, fd, log, now=lambda: 0)
    assert not _is_open(fd)


def test_a_forked_child_gives_up_its_copy_and_the_parent_keeps_the_lock(log: Path) -> None:
    held = lock_file(log)
    child = os.fork()
    if child == 0:
        os._exit(0 if not held.held and not _is_open(held.fd) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert held.held
    with pytest.raises(SessionInUse):
        lock_file(log)
    held.release()


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True
