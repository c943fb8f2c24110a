"""The file tools see files only through ``Files``; on disk a replacement is all or nothing."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import pytest
from tests.unit.tools.bench import Bench

from perdure.errors import ToolError
from perdure.tools.files import DiskFiles, unbroken
from perdure.tools.images import noted
from perdure.tools.registry import builtin_tools


class BufferFiles:
    """One file that exists in an editor only."""

    in_editor = True

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def files_for(self, path: Path) -> BufferFiles:
        return self

    def open(self, path: Path) -> BinaryIO:
        return io.BytesIO(self.content)

    async def replace(self, path: Path, content: bytes, *, tool_started_id: str) -> None:
        self.content = content


@pytest.mark.hazard("The target has unsaved changes in the editor")
def test_the_tools_work_on_what_files_gives_them(bench: Bench) -> None:
    buffer = BufferFiles(b"unsaved text\n")
    bench.tools = builtin_tools(files_for=buffer.files_for)
    (bench.root / "file").write_text("saved\n")
    assert bench.ok("read", path="file") == "unsaved text\n"
    edited = bench.ok("edit", path="file", edits=[{"oldText": "text", "newText": "words"}])
    assert "is not saved" in edited
    assert buffer.content == b"unsaved words\n"
    assert "is not saved" in bench.ok("write", path="file", content="all new")
    assert buffer.content == b"all new"
    assert (bench.root / "file").read_text() == "saved\n"
    assert noted(bench.data, bench.last_id) is None


def test_a_link_put_in_place_after_the_check_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    link = tmp_path / "link"
    link.symlink_to(secret)
    with pytest.raises(OSError, match="symbolic"):
        DiskFiles().open(link)
    with pytest.raises(ToolError, match="not a regular file"):
        asyncio.run(DiskFiles().replace(link, b"x", tool_started_id="call"))
    assert secret.read_text() == "secret"


def test_a_failed_replacement_leaves_the_old_content_and_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    program = (
        "import pathlib, resource, signal, sys\n"
        "from perdure.tools.files import replace_atomically\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "replace_atomically(pathlib.Path(sys.argv[1]), b'x' * 5000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, check=False
    )
    assert b"File too large" in done.stderr
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_cancelling_waits_for_what_cannot_be_cut_short() -> None:
    began = threading.Event()
    go_on = threading.Event()
    ended = threading.Event()

    def effect() -> None:
        began.set()
        go_on.wait(10)
        ended.set()

    async def scenario() -> None:
        task = asyncio.create_task(unbroken(effect))
        await asyncio.to_thread(began.wait)
        task.cancel()
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()

    asyncio.run(scenario())
