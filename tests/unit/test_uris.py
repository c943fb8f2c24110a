"""URIs and paths."""

from __future__ import annotations

import pytest

from perdure.protocol.uris import file_path, folder_key


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///work/a%20b", "/work/a b"),
        ("file:///work/%C3%BC", "/work/ü"),
        ("file:///work/%FF", "/work/\udcff"),
        ("file:///work/", "/work"),
        ("file:///", "/"),
        ("FILE:///work", "/work"),
        ("file:///c%3A/P", "/c:/P"),
        ("file:///a%00b", None),
        ("file:relative", None),
        ("file://[", None),
        ("untitled:Untitled-1", None),
        ("git:/work/a.py?x", None),
        ("vscode-notebook-cell:/work/a.ipynb#x", None),
        ("", None),
    ],
)
def test_paths_elsewhere_than_on_windows(uri: str, path: str | None) -> None:
    assert file_path(uri, windows=False) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/P", "C:\\P"),
        ("file:///C:/P/", "C:\\P"),
        ("file:///c:", "C:\\"),
        ("file:///c:/", "C:\\"),
        ("file://host/share/x", "\\\\host\\share\\x"),
    ],
)
def test_paths_on_windows(uri: str, path: str) -> None:
    assert file_path(uri, windows=True) == path


@pytest.mark.hazard("file:///c%3A/P and file:///C:/P: one on Windows")
@pytest.mark.parametrize(
    ("one", "other", "windows", "same"),
    [
        ("file:///c%3A/P", "file:///C:/P", True, True),
        ("file:///c%3A/P", "file:///C:/P", False, False),
        ("file:///w%6Frk/", "file:///work", False, True),
        ("file:///work", "file:///Work", False, False),
        ("vscode-vfs://x/a", "vscode-vfs://x/a", False, True),
    ],
)
def test_spellings_of_one_folder(one: str, other: str, windows: bool, same: bool) -> None:
    assert (folder_key(one, windows=windows) == folder_key(other, windows=windows)) is same
