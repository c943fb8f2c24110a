"""Opening damaged files: a torn tail is cut and kept, anything else is left alone.

Bytes after the last line feed were never acknowledged. They are first copied to
``S.torn-<offset>-<sha8>``, durably, and only then cut, so a crash at any step leaves either the
tail or its copy, and opening again ends the same way. Evidence is never deleted by us.

A complete line that breaks the format is corruption: nothing is written, no line is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson

from perdure.core.reducer.outcome import Corrupt
from perdure.errors import SessionCorrupt, StoreError, UnsupportedVersion
from perdure.store._fs import Files, write_all

FORMAT_VERSION = 2


@dataclass(frozen=True, slots=True)
class TornTail:
    """What opening cut off: ``length`` bytes from ``offset``, kept in ``evidence``."""

    offset: int
    length: int
    evidence: Path


def cut_torn_tail(
    files: Files, fd: int, path: Path, *, data: bytes, good_length: int
) -> TornTail | None:
    """Cut the open, locked log ``path`` with content ``data`` back to ``good_length`` bytes.

    Returns None when there is no torn tail. Raises ``OSError``; then the log may be uncut.
    """
    tail = data[good_length:]
    if not tail:
        return None
    evidence = path.with_suffix(f".torn-{good_length}-{sha256(tail).hexdigest()[:8]}")
    _keep(files, evidence, tail)
    files.truncate(fd, good_length)
    files.sync(fd)
    return TornTail(offset=good_length, length=len(tail), evidence=evidence)


def corruption_error(path: Path, data: bytes, corrupt: Corrupt) -> StoreError:
    """Say what is wrong with the file: another version, or damage at a line and byte."""
    version = _other_version(data) if corrupt.line == 1 else None
    if version is not None:
        return UnsupportedVersion(
            f"{path.name} has format version {version}, this Perdure reads version "
            f"{FORMAT_VERSION}; use the Perdure that wrote it. Nothing was changed."
        )
    return SessionCorrupt(
        f"{path.name} is damaged at line {corrupt.line}, byte {corrupt.offset} ({corrupt.code}). "
        "Nothing was changed; the lines before it can be copied to a new session.",
        reason=corrupt.code,
        line=corrupt.line,
        offset=corrupt.offset,
        seq=corrupt.seq,
    )


def _keep(files: Files, evidence: Path, tail: bytes) -> None:
    """Write the copy. A copy that does not match its name is what an earlier crash left."""
    try:
        fd = files.create(evidence)
    except FileExistsError:
        fd = files.open(evidence)
    try:
        if files.read(fd) != tail:
            files.truncate(fd, 0)
            write_all(files, fd, tail)
        files.sync(fd)
    finally:
        files.close(fd)
    files.sync_directory(evidence.parent)


def _other_version(data: bytes) -> object:
    """Return the header's version when it states one that is not ours.

    The reducer looks at unknown keys first; a newer header may well have some.
    """
    try:
        header = orjson.loads(data[: data.find(b"\n")])
    except orjson.JSONDecodeError:
        return None
    if not isinstance(header, dict) or header.get("version") == FORMAT_VERSION:
        return None
    return header.get("version")
