"""Text of the editor and bytes of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.lsp.saved_text import alike, is_saved


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        (b"a\n", "a\n", True),
        (b"a\n", "a", False),
        (b"a", "b", False),
        (b"\xef\xbb\xbfa\r\nb\n", "a\nb\n", True),
        (b"a\rb\n", "a\nb\n", True),
        (b"caf\xe9", "caf\xe9", True),
        (b"\x80", "\u20ac", True),
        ("caf\xe9".encode("utf-16"), "caf\xe9", True),
        (b"\x83e", "\u30a7", False),
        (None, "", True),
        (None, "a", False),
        (b"", "\n", True),
        (b"", "\r\n", True),
        (b"", "\n\n", False),
    ],
)
def test_is_saved(tmp_path: Path, content: bytes | None, text: str, expected: bool) -> None:
    file = tmp_path / "file"
    if content is not None:
        file.write_bytes(content)
    assert is_saved(text, str(file)) is expected


def test_what_is_no_file_is_not_saved(tmp_path: Path) -> None:
    assert not is_saved("", str(tmp_path))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("a\r\nb", "a\nb\n", True), ("a\n", "a\n\n", False), ("a", "b", False)],
)
def test_alike(one: str, other: str, expected: bool) -> None:
    assert alike(one, other) is expected
