"""Who is said to hold a lock, as far as the system tells, and giving it up on a failing disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from perdure.errors import SessionInUse
from perdure.store._fs import SystemFiles
from perdure.store.lock import WriterLock, acquire

FILES = SystemFiles()


def lock_file(path: Path, files: SystemFiles = FILES) -> WriterLock:
    return acquire(files, files.open(path), path, now=lambda: 0)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x\n")
    return path


def _is_gone(pid: int, signal: int) -> None:
    raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH))


def _belongs_to_another_user(pid: int, signal: int) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize(
    ("kill", "told"),
    [
        pytest.param(_is_gone, False, id="gone"),
        pytest.param(_belongs_to_another_user, True, id="of another user"),
    ],
)
def test_a_process_is_named_while_it_lives(
    log: Path, monkeypatch: pytest.MonkeyPatch, kill: Callable[[int, int], None], told: bool
) -> None:
    held = lock_file(log)
    monkeypatch.setattr(os, "kill", kill)
    with pytest.raises(SessionInUse) as caught:
        lock_file(log)
    assert caught.value.pid == (os.getpid() if told else None)
    held.release()


def test_a_system_that_tells_no_boot_still_names_the_process(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_text(path: Path, encoding: str) -> str:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    monkeypatch.setattr(Path, "read_text", read_text)
    held = lock_file(log)
    with pytest.raises(SessionInUse) as caught:
        lock_file(log)
    assert caught.value.pid == os.getpid()
    held.release()


def test_only_a_held_lock_is_reported_as_held() -> None:
    """Any other failure, here of a descriptor that is not open, is told as it is."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    os.close(write_end)
    with pytest.raises(OSError, match="Bad file descriptor"):
        FILES.lock(read_end)
