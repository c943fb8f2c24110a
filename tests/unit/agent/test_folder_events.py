"""What the system tells of a folder."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from perdure.agent.folder_events import moved_in

pytestmark = pytest.mark.asyncio


def moved(folder: Path) -> None:
    (folder / "unfinished").touch()
    (folder / "unfinished").replace(folder / "request")


async def what_was_told_is_heard() -> None:
    """Let the event loop look at its descriptors: the system has told of everything by now."""
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.skipif(sys.platform != "linux", reason="needs inotify")
async def test_a_file_that_is_moved_in_is_told(tmp_path: Path) -> None:
    heard = asyncio.Event()
    with moved_in(tmp_path, heard.set) as told:
        assert told
        (tmp_path / "made").touch()
        await what_was_told_is_heard()
        assert not heard.is_set()
        for _ in range(2):
            moved(tmp_path)
            await asyncio.wait_for(heard.wait(), 10)
            heard.clear()


async def test_nothing_is_left_afterwards(tmp_path: Path) -> None:
    heard = asyncio.Event()
    before = os.listdir("/proc/self/fd") if sys.platform == "linux" else []
    with moved_in(tmp_path, heard.set):
        pass
    moved(tmp_path)
    await what_was_told_is_heard()
    assert not heard.is_set()
    assert before == (os.listdir("/proc/self/fd") if sys.platform == "linux" else [])


async def test_a_folder_that_is_not_there_is_not_told_of(tmp_path: Path) -> None:
    with moved_in(tmp_path / "none", lambda: None) as told:
        assert not told
