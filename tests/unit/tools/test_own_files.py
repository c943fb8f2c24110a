"""Small files beside a session: private, whole, and never a way to wait or to be led elsewhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from perdure.tools.job_files import Job, job_files
from perdure.tools.own_files import read_own, write_own


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_whole_and_private(tmp_path: Path, durable: bool) -> None:
    file = tmp_path / "file"
    for content in (b"one", b"", b"three"):
        write_own(file, content, durable=durable)
        assert read_own(file) == content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("kind", ["folder", "fifo", "link", "nothing"])
def test_only_regular_files_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "path"
    (tmp_path / "target").write_bytes(b"x")
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("target")
    free = _next_descriptor()
    with pytest.raises(OSError, match=r"\[Errno"):
        read_own(path)
    assert _next_descriptor() == free


def test_a_link_is_replaced_and_not_written_through(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"x")
    (tmp_path / "file").symlink_to("target")
    (tmp_path / f"other.{os.getpid()}.tmp").symlink_to("target")
    write_own(tmp_path / "file", b"new")
    with pytest.raises(OSError, match="symbolic"):
        write_own(tmp_path / "other", b"new")
    assert target.read_bytes() == b"x"
    assert read_own(tmp_path / "file") == b"new"


def test_the_files_of_a_job_go_with_it(tmp_path: Path) -> None:
    files = job_files(tmp_path / "session.d", "id")
    files.create(Job("true", keep_running=False, timeout_seconds=1))
    (files.folder / "id.json.77.tmp").touch()
    (files.folder / "id2.json").touch()
    files.streams[0].touch()
    files.remove()
    assert os.listdir(files.folder) == ["id2.json"]


def test_a_pipe_in_the_place_of_a_job_file_is_no_job(tmp_path: Path) -> None:
    files = job_files(tmp_path / "session.d", "id")
    files.folder.mkdir(parents=True)
    os.mkfifo(files.record)
    assert files.load() is None


def _next_descriptor() -> int:
    """Return the lowest number that is free: every open file takes one."""
    descriptor = os.open(os.devnull, os.O_RDONLY)
    os.close(descriptor)
    return descriptor
