"""Patterns for paths mean what they mean to ``rg``, and no pattern takes long."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from perdure.errors import ToolError
from perdure.tools.globs import glob_regex, name_pattern

PATHS = [
    "a", "a.py", "b/a.py", "b/c/a.py", "b/c/d/a.py", "x/b/c.py", "b/ab.pyc", "ba", "A.py", "aXb",
    "a-b", "a]b", "a/a/a/b", "d.e/f", "{x}", "b/.hidden", "ab/ab/ab", "c/*",
]  # fmt: skip
PATTERNS = [
    "a", "*.py", "a*", "*a", "?", "a?b", "b/*", "b/**", "b/**/*.py", "**/c/**", "**/a.py", "/a.py",
    "*/a.py", "**/b/**/a.py", "[ab].py", "[!a].py", "[a-b]a", "a[]]b", "a[X-]b", "*.{py,pyc}",
    "{a,b/a}.py", "{b,x}/**", "**", "**/*", "a/**/b", "a/**/**/b", ".*", "\\*", "c/\\*", "ab/**/ab",
    "*a*b*", "b**", "d.e/?", "{x", "x}", "[", "a{,.py}",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_as_rg(tmp_path: Path, pattern: str) -> None:
    if shutil.which("rg") is None:
        pytest.skip("rg is not installed")
    folder = tmp_path / "tree"
    files = [path for path in PATHS if not any(other.startswith(f"{path}/") for other in PATHS)]
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    command = ["rg", "--no-config", "--files", "--hidden", f"--glob={pattern}"]
    listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if listed.returncode == 2:
        pytest.skip(f"rg refuses it: {listed.stderr}")
    regex = re.compile(glob_regex(pattern))
    assert [path for path in sorted(files) if regex.fullmatch(path)] == sorted(
        listed.stdout.splitlines()
    )


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 40 + "b", "**/a/" * 40 + "b", "**/*a*a*a*a*a*/" * 10 + "b", "{a,b}*" * 6 + "c"],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    regex = re.compile(glob_regex(pattern))
    assert regex.fullmatch("a" * 250) is None
    assert regex.fullmatch("a/" * 250) is None
    assert regex.fullmatch("aaaaaaaaaaaa/" * 50 + "c/d") is None


@pytest.mark.parametrize("pattern", ["/", "//", "./", "", "[z-a]", "{a,b}" * 7])
def test_what_means_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ToolError):
        glob_regex(pattern)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("*.py", "*.py"),
        ("src/**/*.py", "*.py"),
        ("a/**", None),
        ("*.{a,b}", None),
        ("a/", None),
        ("[ab]", None),
        ("**/*", "*"),
    ],
)
def test_the_name_alone(pattern: str, name: str | None) -> None:
    assert name_pattern(pattern) == name
