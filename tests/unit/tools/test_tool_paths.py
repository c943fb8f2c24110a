"""The file tools stay in the workspace, whatever a path looks like."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench

from perdure.json_types import JsonObject
from perdure.tools.registry import builtin_tools

WRITERS: list[tuple[str, JsonObject]] = [
    ("write", {"content": "new"}),
    ("edit", {"edits": [{"oldText": "old", "newText": "new"}]}),
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a file beside the workspace."""
    path = tmp_path / "outside.txt"
    path.write_text("old\n")
    return path


@pytest.mark.parametrize("tool", ["read", "write", "edit", "grep", "glob", "list"])
def test_a_path_that_no_file_can_have_is_not_followed(bench: Bench, tool: str) -> None:
    """It would take seconds: a step is as long as the path before it."""
    more = {**dict(WRITERS).get(tool, {}), **({"pattern": "x"} if tool in ("grep", "glob") else {})}
    said = bench.error(tool, path="a/" * 100_000, **more)
    assert said == "Error: path must not be longer than 4096 characters."


@pytest.mark.parametrize("how", ["relative", "absolute", "link", "linked folder"])
@pytest.mark.parametrize("tool", ["read", "write", "edit"])
def test_paths_that_lead_out_are_refused(bench: Bench, outside: Path, tool: str, how: str) -> None:
    (bench.root / "link.txt").symlink_to(outside)
    (bench.root / "folder").symlink_to(outside.parent)
    path = {
        "relative": "../outside.txt",
        "absolute": str(outside),
        "link": "link.txt",
        "linked folder": "folder/outside.txt",
    }[how]
    more = dict(WRITERS).get(tool, {})
    assert bench.error(tool, path=path, **more) == f"Error: {path} is outside of the workspace."
    assert outside.read_text() == "old\n"


@pytest.mark.parametrize("tool", ["read", "write", "edit"])
def test_a_circle_of_links_hides_no_way_out(bench: Bench, outside: Path, tool: str) -> None:
    (bench.root / "circle").symlink_to("circle")
    (bench.root / "folder").symlink_to(outside.parent)
    path = "circle/../folder/outside.txt"
    more = dict(WRITERS).get(tool, {})
    assert bench.error(tool, path=path, **more) == f"Error: {path} leads through a circle of links."
    assert outside.read_text() == "old\n"


@pytest.mark.parametrize(("tool", "more"), WRITERS)
def test_a_link_inside_is_followed_to_its_target(bench: Bench, tool: str, more: JsonObject) -> None:
    target = bench.root / "target.txt"
    target.write_text("old")
    link = bench.root / "link.txt"
    link.symlink_to("target.txt")
    bench.ok(tool, path="link.txt", **more)
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.parametrize("path", [".git/config", "sub/.GIT/hooks/pre-commit", ".g\u200cit/HEAD"])
@pytest.mark.parametrize("tool", ["read", "write", "edit"])
def test_the_data_of_git_are_left_to_git(bench: Bench, tool: str, path: str) -> None:
    file = bench.root / path
    file.parent.mkdir(parents=True)
    file.write_text("old")
    more = dict(WRITERS).get(tool, {})
    assert "belongs to git's own data" in bench.error(tool, path=path, **more)
    assert file.read_text() == "old"


@pytest.mark.parametrize("how", ["a link", "a file"])
def test_the_data_of_git_may_be_elsewhere(bench: Bench, how: str) -> None:
    (bench.root / ".bare").mkdir()
    (bench.root / ".bare" / "config").write_text("old")
    if how == "a link":
        (bench.root / ".git").symlink_to(".bare")
    else:
        (bench.root / ".git").write_text("gitdir: ./.bare\n")
    assert "belongs to git's own data" in bench.error("write", path=".bare/config", content="new")
    assert (bench.root / ".bare" / "config").read_text() == "old"


@pytest.mark.parametrize("path", [".gitignore", ".github/workflows/ci.yml", "git/x", "a.git"])
def test_what_only_looks_like_git_is_a_file_like_any_other(bench: Bench, path: str) -> None:
    bench.ok("write", path=path, content="text")
    assert bench.ok("read", path=path) == "text"


def test_folders_that_the_user_allows_are_like_the_workspace(bench: Bench, outside: Path) -> None:
    other = outside.parent / "other"
    (other / ".git").mkdir(parents=True)
    (other / "link.txt").symlink_to(outside)
    bench.tools = builtin_tools(directories=[other])
    file = str(other / "new" / "file.txt")
    bench.ok("write", path=file, content="old")
    bench.ok("edit", path=file, edits=[{"oldText": "old", "newText": "new"}])
    assert bench.ok("read", path=file) == "new"
    for path in (str(outside), str(other / "link.txt"), f"{other}/../outside.txt"):
        assert "outside of the workspace" in bench.error("read", path=path)
    assert "git's own data" in bench.error("write", path=str(other / ".git" / "x"), content="")


@pytest.mark.parametrize("tool", ["read", "write", "edit"])
@pytest.mark.parametrize("kind", ["folder", "fifo", "missing", "loop", "empty", "nul", "surrogate"])
def test_what_is_no_file_is_refused_at_once(bench: Bench, tool: str, kind: str) -> None:
    (bench.root / "folder").mkdir()
    os.mkfifo(bench.root / "fifo")
    (bench.root / "loop").symlink_to("loop")
    path = {"missing": "folder/missing/x", "empty": "", "nul": "a\0b", "surrogate": "\ud800"}
    more = dict(WRITERS).get(tool, {})
    if (tool, kind) == ("write", "missing"):
        assert bench.ok(tool, path=path[kind], **more)
        return
    message = bench.error(tool, path=path.get(kind, kind), **more)
    message.encode()
    assert message.startswith("Error: ")
    assert message.endswith(".")


def test_a_device_is_no_file_to_read(bench: Bench) -> None:
    os.mknod(bench.root / "zero", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    assert bench.error("read", path="zero") == "Error: zero is not a regular file."


def test_only_reading_is_allowed_in_the_sessions_tool_output(bench: Bench) -> None:
    log = bench.data / "tool-output" / "1.log"
    log.parent.mkdir(parents=True)
    log.write_text("everything\n")
    secret = bench.data / "jobs" / "1.json"
    assert bench.ok("read", path=str(log)) == "everything\n"
    assert "outside of the workspace" in bench.error("read", path=str(secret))
    assert "outside of the workspace" in bench.error("write", path=str(log), content="")
