"""Completing the path of a mention: one folder of the workspace, nothing outside of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.agent.context.completing import completions


@pytest.mark.parametrize(
    ("prefix", "paths"),
    [
        ("", ["README.md", "my file.md", "notes.txt", "src/"]),
        ("s", ["src/"]),
        ("S", []),
        ("read", ["README.md"]),
        ("src/", ["src/a.py"]),
        ("src/b", []),
        (".", [".env"]),
        ("../", []),
        ("/etc/", []),
        ("gone/", []),
        ("way/", []),
    ],
)
def test_completions(tmp_path: Path, prefix: str, paths: list[str]) -> None:
    root = tmp_path.resolve()
    for name in ("src/a.py", "notes.txt", "my file.md", ".env", ".git/config", "README.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    (root / "way").symlink_to("/etc")
    found = [path for path in completions(prefix, root=root) if path != "way/"]
    assert found == paths
