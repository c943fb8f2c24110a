"""Whether the text of a document is what its file holds."""

from __future__ import annotations

import os
from pathlib import Path

from perdure.errors import ToolError
from perdure.tools.files import DiskFiles, content_if_present

_ENCODINGS = ("utf-8-sig", "utf-16", "cp1252", "latin-1")
"""What editors are likely to read; a file in another encoding counts as differing."""


def is_saved(text: str, path: str) -> bool:
    """Tell whether the file holds the text; line ends and a byte order mark do not count.

    Where there is no file, or an empty one, the empty text is saved, and so is a lone line end:
    that is what an editor says which ends every line.
    """
    try:
        content = content_if_present(DiskFiles(), Path(os.path.realpath(path)))
    except (OSError, ToolError):
        return False
    if not content:
        return _with_lf(text) in ("", "\n")
    return any(_decodes_to(content, encoding, text) for encoding in _ENCODINGS)


def alike(one: str, other: str) -> bool:
    """Tell whether texts are the same but for line ends, which editors make uniform."""
    return _with_lf(one).removesuffix("\n") == _with_lf(other).removesuffix("\n")


def _decodes_to(content: bytes, encoding: str, text: str) -> bool:
    try:
        return _with_lf(content.decode(encoding)) == _with_lf(text)
    except UnicodeDecodeError:
        return False


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
