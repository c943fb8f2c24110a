"""``grep``, ``glob`` and ``list``, with ``rg`` and without it: both ways find the same."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from tests.unit.tools.bench import Bench
from tests.unit.tools.living import eventually

from perdure.json_types import JsonObject
from perdure.tools.search_program import main as own_search
from perdure.tools.secret_files import SECRET_NAMES

FILES = {
    "a.py": "import os\n\ndef one():\n    return 1\n",
    "src/b.py": "def two():\r\n    return 2\r\n",
    "src/deep/er/c.txt": "nothing here\nDEF three\n",
    ".github/ci.yml": "run: def\n",
    "build/out.py": "def ignored():\n",
    ".env": "KEY=def-secret\n",
    "keys/server.pem": "def secret\n",
    "keys/server.pem.bak": "def secret\n",
    "keys/id_rsa~": "def secret\n",
    "binary.bin": "def \0 binary",
    ".git/config": "def = git\n",
    ".gitignore": "build/\n",
    "sub/.GIT/hooks": "def hook\n",
}

TWO = "src/b.py:1:def two():"


@pytest.fixture(params=["rg", "own"])
def tree(bench: Bench, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return a repository with a bit of everything; there is ``rg`` or only our own program."""
    if request.param == "rg" and shutil.which("rg") is None:
        pytest.skip("rg is not installed")
    if request.param == "own":
        programs = bench.root.parent / "programs"
        programs.mkdir()
        (programs / "git").symlink_to(str(shutil.which("git")))
        monkeypatch.setenv("PATH", str(programs))
    subprocess.run(["/usr/bin/env", "git", "init", "-q", str(bench.root)], check=True)
    for name, content in FILES.items():
        path = bench.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    outside = bench.root.parent / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outside():\n")
    (bench.root / "link.py").symlink_to(outside / "secret.py")
    (bench.root / "folder").symlink_to(outside)
    os.mkfifo(bench.root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(bench.root)
        listening.bind("socket.py")
    return bench


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pattern": "def"}, [".github/ci.yml:1:run: def", "a.py:3:def one():", TWO]),
        ({"pattern": "^def", "path": "src"}, [TWO]),
        ({"pattern": "two\\(\\):$"}, [TWO]),
        ({"pattern": "^def", "path": "a.py"}, ["a.py:3:def one():"]),
        ({"pattern": "def th", "ignoreCase": True}, ["src/deep/er/c.txt:2:DEF three"]),
        ({"pattern": "def", "glob": "*.yml"}, [".github/ci.yml:1:run: def"]),
        ({"pattern": "def", "glob": "src/**/*.py"}, [TWO]),
        ({"pattern": "def", "glob": "{src,none}/*.{py,c}"}, [TWO]),
        ({"pattern": "def", "path": "build"}, ["build/out.py:1:def ignored():"]),
        ({"pattern": "one", "context": 1}, ["a.py-2-", "a.py:3:def one():", "a.py-4-    return 1"]),
        ({"pattern": "--files"}, []),
        ({"pattern": "secret|outside|hook|binary"}, []),
    ],
    ids=str,
)  # fmt: skip
def test_lines_that_match(tree: Bench, arguments: JsonObject, lines: list[str]) -> None:
    found = tree.ok("grep", **arguments)
    assert found.removesuffix("\n").split("\n") == lines or (
        not lines and found.startswith("No matches. Files that may hold credentials")
    )


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"pattern": "*.py"}, ["a.py", "src/b.py"]),
        ({"pattern": "**/*.py"}, ["a.py", "src/b.py"]),
        ({"pattern": "*.py", "path": "src"}, ["src/b.py"]),
        ({"pattern": "src/**/*"}, ["src/b.py", "src/deep/er/c.txt"]),
        ({"pattern": "src/"}, ["src/b.py", "src/deep/er/c.txt"]),
        ({"pattern": "/a.*"}, ["a.py"]),
        ({"pattern": "[!a].py"}, ["src/b.py"]),
        ({"pattern": ".*"}, [".env", ".gitignore"]),
        ({"pattern": "out.py", "path": "build"}, ["build/out.py"]),
    ],
    ids=str,
)
def test_files_by_name(tree: Bench, arguments: JsonObject, names: list[str]) -> None:
    assert tree.ok("glob", **arguments).split("\n") == names


def test_no_name_of_a_secret_file_is_searched(tree: Bench) -> None:
    names = [name.replace("*", "x") for name in SECRET_NAMES]
    for name in (*names, *map(str.upper, names)):
        (tree.root / "src" / name).write_text("treasure\n")
    (tree.root / "src" / "x.key.txt").write_text("treasure\n")
    assert tree.ok("grep", pattern="treasure") == "src/x.key.txt:1:treasure\n"


@pytest.mark.parametrize("pattern", ["config", "hooks", "secret.py", "pipe.py", "socket.py"])
def test_what_is_no_file_of_the_workspace_is_not_found(tree: Bench, pattern: str) -> None:
    assert tree.ok("glob", pattern=pattern) == "No files match."


def test_what_is_over_the_limit_is_counted(tree: Bench) -> None:
    (tree.root / "many.txt").write_text("needle\n" * 250)
    found = tree.ok("grep", pattern="needle", limit=3)
    assert found.startswith("many.txt:1:needle\nmany.txt:2:needle\nmany.txt:3:needle\n\n")
    assert found.endswith("[247 more matches. Use a narrower pattern, path or glob.]")
    assert "[1 more files. " in tree.ok("glob", pattern="*.py", limit=1)


def test_a_flood_is_not_even_counted(tree: Bench) -> None:
    (tree.root / "many.txt").write_text(f"needle {'x' * 1000}\n" * 30_000)
    found = tree.ok("grep", pattern="needle", limit=1_000)
    assert len(found) < 60_000
    assert "more matches; the search was stopped before its end." in found


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("grep", {"pattern": "("}, "pattern: regex parse error"),
        ("grep", {"pattern": "x", "path": "none"}, "none: No such file"),
        ("grep", {"pattern": "x", "path": "pipe.py"}, "not a regular file"),
        ("grep", {"pattern": "def", "path": ".env"}, "Use read, which asks the user."),
        ("grep", {"pattern": "x", "path": "folder"}, "outside of the workspace"),
        ("grep", {"pattern": "x", "path": ".git"}, "git's own data"),
        ("grep", {"pattern": "x", "glob": "/"}, "is not a pattern of files"),
        ("glob", {"pattern": "*", "path": "../outside"}, "outside of the workspace"),
        ("glob", {"pattern": "*", "path": "a.py"}, "a.py: Not a directory"),
        ("glob", {"pattern": "{a,b}" * 20}, "more than 64 choices"),
        ("list", {"path": "folder"}, "outside of the workspace"),
        ("list", {"path": ".git"}, "git's own data"),
        ("list", {"path": "pipe.py"}, "pipe.py: Not a directory"),
    ],
)
def test_refusals(tree: Bench, tool: str, arguments: JsonObject, words: str) -> None:
    assert words in tree.error(tool, **arguments)


@pytest.mark.parametrize("end", ["kill -9 $$", "exit 127", "echo broken >&2; exit 1"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("grep", {"pattern": "def"}),
        ("grep", {"pattern": "def", "path": "a.py"}),
        ("glob", {"pattern": "*.py"}),
    ],
)
def test_a_search_that_breaks_down_is_not_one_that_finds_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: JsonObject, end: str
) -> None:
    (bench.root / "a.py").write_text("def one():\n")
    programs = bench.root.parent / "programs"
    programs.mkdir()
    (programs / "rg").write_text(f"#!/bin/sh\n{end}\n")
    (programs / "rg").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    assert "The search failed: " in bench.error(tool, **arguments)


def test_a_folder(tree: Bench) -> None:
    assert tree.ok("list", path="src") == "b.py\ndeep/"
    listed = tree.ok("list")
    assert f"\nlink.py -> {tree.root.parent}/outside/secret.py\n" in listed
    assert "\npipe.py (no file)\n" in listed
    assert "\nbuild/\n" not in listed
    assert listed.endswith("[Ignored by git and not listed: 1 (build/)]")
    assert "[12 more entries. " in tree.ok("list", limit=1)


def test_programs_that_a_repository_names_are_not_run(tree: Bench) -> None:
    (tree.root / ".git" / "config").write_text(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ran; false\n"
    )
    for tool, arguments in (("grep", {"pattern": "x"}), ("glob", {"pattern": "*"}), ("list", {})):
        tree.ok(tool, **arguments)
    assert not (tree.root / "ran").exists()


def test_a_search_ends_as_soon_as_it_is_cancelled(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    (bench.root / "file").write_text("a" * 60 + "b\n")

    async def scenario() -> None:
        search = asyncio.create_task(bench.run("grep", pattern="(a|aa)+$"))
        assert await asyncio.to_thread(eventually, lambda: _searches(bench.root) != [])
        await asyncio.sleep(0.2)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        assert _searches(bench.root) == []

    asyncio.run(scenario())


def test_the_own_program_dies_by_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a" * 60 + "b\n")
    request = '{"seconds": 1, "pattern": "(a|aa)+$"}'
    code = f"from {own_search.__module__} import main; main({request!r})"
    done = subprocess.run(["python3", "-c", code], cwd=tmp_path, check=False, env=_with_package())
    assert done.returncode < 0


def _with_package() -> dict[str, str]:
    package = Path(own_search.__code__.co_filename).parents[2]
    return {**os.environ, "PYTHONPATH": str(package)}


def _searches(folder: Path) -> list[str]:
    """Return the processes of our own program that are in ``folder``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes()
            if b"search_program" in arguments and os.readlink(process / "cwd") == str(folder):
                found.append(process.name)
        except OSError:
            continue
    return found
