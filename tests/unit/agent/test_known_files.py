"""What is known of a file that a call was writing when the server died."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pytest

from perdure.json_types import JsonObject
from perdure.tools.base import ToolContext, ToolResult
from perdure.tools.files import DiskFiles, FilesFor, on_disk
from perdure.tools.images import Image, Verdict, judge, kept_content, look, noted
from perdure.tools.registry import builtin_tools

Change: TypeAlias = Callable[[Path], object]

CALL = "0192b3c0-0000-7000-8000-000000000001"
WRITE: JsonObject = {"path": "a.txt", "content": "new é"}
EDIT: JsonObject = {"path": "a.txt", "edits": [{"oldText": "old", "newText": "new"}]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace folder, with one file."""
    root = tmp_path.resolve() / "work"
    root.mkdir()
    (root / "a.txt").write_text("old")
    return root


def data(root: Path) -> Path:
    """The session's own folder."""
    return root.parent / "session.d"


def run(
    root: Path,
    name: str,
    arguments: JsonObject,
    *,
    durable: bool = True,
    files_for: FilesFor = on_disk,
) -> ToolResult:
    """Execute one call."""
    tool = builtin_tools(files_for=files_for).get(name)
    assert tool is not None
    context = ToolContext(root, data(root), CALL, False, lambda _: None, durable)
    return asyncio.run(tool.execute(arguments, context))


def image_of(root: Path) -> Image:
    """The note of the call."""
    image = noted(data(root), CALL)
    assert image is not None
    return image


@pytest.mark.parametrize(
    ("before", "now", "verdict"),
    [
        ("old", "new", "applied"),
        ("old", "old", "notApplied"),
        ("old", "third", "changedSince"),
        ("old", None, "changedSince"),
        (None, "new", "applied"),
        (None, None, "notApplied"),
        (None, "third", "changedSince"),
        ("new", "new", "applied"),
    ],
)
def test_judgement(before: str | None, now: str | None, verdict: Verdict) -> None:
    assert judge(Image(Path("/a"), before, "new", "text"), now) == verdict


@pytest.mark.parametrize(("name", "arguments"), [("write", WRITE), ("edit", EDIT)])
@pytest.mark.parametrize("durable", [True, False])
def test_the_note_tells_what_the_call_does(
    root: Path, name: str, arguments: JsonObject, durable: bool
) -> None:
    result = run(root, name, arguments, durable=durable)
    image = image_of(root)
    now = (root / "a.txt").read_bytes()
    assert image.path == root / "a.txt"
    assert image.before == sha256(b"old").hexdigest()
    assert image.after == sha256(now).hexdigest()
    assert result == ToolResult("success", image.success)
    assert look(image) == "applied"


class _DiesInstead(DiskFiles):
    """The server dies when it is about to replace a file."""

    async def replace(self, path: Path, content: bytes, *, tool_started_id: str) -> None:
        """Die."""
        raise SystemExit


async def _dying(path: Path) -> _DiesInstead:
    return _DiesInstead()


@pytest.mark.parametrize(("name", "arguments"), [("write", WRITE), ("edit", EDIT)])
def test_the_note_stands_before_the_effect(root: Path, name: str, arguments: JsonObject) -> None:
    with pytest.raises(SystemExit):
        run(root, name, arguments, files_for=_dying)
    assert (root / "a.txt").read_text() == "old"
    assert look(image_of(root)) == "notApplied"


def test_note_and_contents_are_private(root: Path) -> None:
    run(root, "write", WRITE)
    folder = data(root) / "images"
    hashes = {sha256(content).hexdigest() for content in (b"old", "new é".encode())}
    assert {path.name for path in folder.iterdir()} == {f"{CALL}.json", "sha256"}
    assert {path.name for path in (folder / "sha256").iterdir()} == hashes
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()} == {0o600}
    assert {folder.stat().st_mode & 0o777, (folder / "sha256").stat().st_mode & 0o777} == {0o700}


def test_a_damaged_content_is_none_until_it_is_kept_again(root: Path) -> None:
    run(root, "write", WRITE)
    old = sha256(b"old").hexdigest()
    assert kept_content(data(root), old) == b"old"
    (data(root) / "images" / "sha256" / old).write_bytes(b"ol")
    assert kept_content(data(root), old) is None
    (root / "a.txt").write_text("old")
    run(root, "write", WRITE)
    assert kept_content(data(root), old) == b"old"


def _replace_by_link(file: Path) -> None:
    target = file.with_name("target.txt")
    file.rename(target)
    file.symlink_to(target)


def _move_folder(file: Path) -> None:
    elsewhere = file.parent.with_name("elsewhere")
    file.parent.rename(elsewhere)
    file.parent.symlink_to(elsewhere)


def _replace_by_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda file: None, "applied"),
        (lambda file: file.write_text("old"), "notApplied"),
        (lambda file: file.write_text("other"), "changedSince"),
        (Path.unlink, "changedSince"),
        (_replace_by_link, "changedSince"),
        (_move_folder, "changedSince"),
        (_replace_by_folder, "changedSince"),
    ],
)
def test_the_file_as_it_is_now(root: Path, change: Change, verdict: Verdict) -> None:
    run(root, "write", WRITE)
    change(root / "a.txt")
    assert look(image_of(root)) == verdict


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_file_that_cannot_be_read(root: Path) -> None:
    run(root, "write", WRITE)
    (root / "a.txt").chmod(0)
    assert look(image_of(root)) == "unknown"


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        json.dumps({"path": "/a", "beforeSha256": None, "afterSha256": "x"}).encode(),
        json.dumps({"path": 1, "beforeSha256": None, "afterSha256": "x", "success": ""}).encode(),
    ],
)
def test_a_damaged_note_is_none(root: Path, damage: bytes) -> None:
    run(root, "write", WRITE)
    (data(root) / "images" / f"{CALL}.json").write_bytes(damage)
    assert noted(data(root), CALL) is None


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_nothing_waits_for_what_is_no_file(root: Path, make: Callable[[Path], None]) -> None:
    run(root, "write", WRITE)
    old = sha256(b"old").hexdigest()
    for file in (f"{CALL}.json", f"sha256/{old}"):
        (data(root) / "images" / file).unlink()
        make(data(root) / "images" / file)
    assert noted(data(root), CALL) is None
    assert kept_content(data(root), old) is None


def test_a_note_that_cannot_be_made_refuses_nothing(root: Path) -> None:
    data(root).write_text("in the way")
    assert run(root, "write", WRITE).type == "success"
    assert (root / "a.txt").read_text() == "new é"
