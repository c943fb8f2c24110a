"""URIs of the editor and paths of the machine."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes, urlsplit

WINDOWS = os.name == "nt"

_DRIVE = re.compile(r"^/([A-Za-z]):(?=/|$)")


def file_path(uri: str, *, windows: bool = WINDOWS) -> str | None:
    """Return the absolute path that a ``file:`` URI names, without a trailing separator.

    None for every other scheme (``untitled:``, ``git:``, notebook cells) and for what is no URI.
    On Windows the drive letter is upper case, so that ``file:///c%3A/P`` and ``file:///C:/P``
    name one path.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape")
    if not path.startswith("/") or "\0" in path:
        return None
    if windows:
        return _windows_path(parts.netloc, path)
    return path.rstrip("/") or "/"


def folder_key(uri: str, *, windows: bool = WINDOWS) -> str:
    """Return what is equal for two spellings of one folder's URI."""
    return file_path(uri, windows=windows) or uri


def _windows_path(host: str, path: str) -> str:
    drive = _DRIVE.match(path)
    if drive:
        path = f"{drive[1].upper()}:{path[drive.end() :]}"
    elif host:
        path = f"//{host}{path}"
    path = path.rstrip("/")
    if drive and path.endswith(":"):
        path += "/"
    return path.replace("/", "\\")
