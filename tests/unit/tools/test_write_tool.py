"""``write``: the whole content, atomically, and nothing else."""

from __future__ import annotations

import asyncio
import os
import stat

import pytest
from tests.unit.tools.bench import Bench


@pytest.mark.parametrize(
    ("content", "size"), [("", 0), ("é\n", 3), ("a\r\nb", 4), ("\N{PILE OF POO}", 4)]
)
def test_writes_the_content_and_reports_bytes(bench: Bench, content: str, size: int) -> None:
    message = bench.ok("write", path="new/folder/file.txt", content=content)
    assert message == f"Successfully wrote {size} bytes to new/folder/file.txt."
    assert (bench.root / "new/folder/file.txt").read_bytes() == content.encode()


@pytest.mark.hazard("Lone surrogates ... stored and sent as U+FFFD")
def test_a_lone_surrogate_is_written_as_replacement_character(bench: Bench) -> None:
    bench.ok("write", path="file", content="a\ud83d \ud83d\ude00")
    assert (bench.root / "file").read_text() == "a\ufffd \U0001f600"


def test_a_replaced_file_keeps_its_mode_and_nothing_else(bench: Bench) -> None:
    file = bench.root / "tool.sh"
    file.write_text("something much longer than what comes")
    file.chmod(0o751)
    bench.ok("write", path="tool.sh", content="short")
    assert file.read_text() == "short"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert os.listdir(bench.root) == ["tool.sh"]


def test_a_new_file_has_the_mode_that_the_user_is_used_to(bench: Bench) -> None:
    bench.ok("write", path="by-tool", content="")
    (bench.root / "by-user").touch()
    assert (bench.root / "by-tool").stat().st_mode == (bench.root / "by-user").stat().st_mode


def test_a_failure_leaves_nothing_behind(bench: Bench) -> None:
    (bench.root / "file").write_text("in the way")
    for path in ("file/below", "file/far/below"):
        message = bench.error("write", path=path, content="x")
        assert message == "Error: file is not a folder."
    assert os.listdir(bench.root) == ["file"]


def test_a_path_may_have_many_missing_folders(bench: Bench) -> None:
    deep = "a/" * ((4000 - len(str(bench.root))) // 2)
    bench.ok("write", path=f"{deep}file", content="x")
    file = bench.root / deep / "file"
    assert file.read_text() == "x"
    file.unlink()
    os.removedirs(file.parent)


def test_a_path_that_is_too_long_makes_no_folder(bench: Bench) -> None:
    message = bench.error("write", path="a/" * 2040 + "file", content="x")
    assert message.endswith("File name too long.")
    assert os.listdir(bench.root) == []


def test_the_preview_shows_both_sides_and_changes_nothing(bench: Bench) -> None:
    tool = bench.tool("write")
    (bench.root / "file").write_text("old")
    shown = asyncio.run(tool.preview({"path": "file", "content": "new"}, bench.root))
    assert (shown.path, shown.before, shown.after) == (bench.root / "file", "old", "new")
    new = asyncio.run(tool.preview({"path": "other", "content": "new"}, bench.root))
    assert (new.before, new.after) == (None, "new")
    assert asyncio.run(tool.preview({"path": "../x", "content": ""}, bench.root)).path is None
    assert asyncio.run(tool.preview({}, bench.root)).path is None
    assert os.listdir(bench.root) == ["file"]
