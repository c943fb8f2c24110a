"""Opening damaged files: what is torn is cut and kept, anything else is left alone.

The bytes to cut are first copied to ``S.torn-<offset>-<sha8>``, durably, then cut, and then a
``repaired`` record goes to the sidecar, durably. A crash at any step leaves the bytes in the log
or in the copy, and opening again ends the same way: a copy that has no record yet tells which
repair is to be finished. Evidence is never deleted by us.

Damage is only reported: nothing is written, no line is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson

from perdure.errors import SessionCorrupt, StoreError, UnsupportedVersion
from perdure.store._fs import Files, read_regular, write_all
from perdure.store.seal import Repair, Rule, Sidecar
from perdure.store.verdict import Damaged, Torn

FORMAT_VERSION = 2


@dataclass(frozen=True, slots=True)
class TornTail:
    """What opening cut off: ``length`` bytes from ``offset``, kept in ``evidence``.

    There is no evidence when there were no bytes: the power went before they were written.
    """

    offset: int
    length: int
    sha256: str
    rule: Rule
    reason: str
    evidence: Path | None

    def __str__(self) -> str:
        """Say it to the user."""
        if self.evidence is None:
            return f"The end of the session is missing from byte {self.offset} on: {self.reason}."
        return (
            f"{self.length} bytes at the end of the session were dropped ({self.reason}); "
            f"they are kept in {self.evidence}."
        )

    def as_record(self) -> Repair:
        """Return the line of the sidecar."""
        return Repair(self.offset, self.length, self.sha256, self.reason, self.rule)


def cut(files: Files, fd: int, path: Path, *, data: bytes, torn: Torn) -> TornTail:
    """Cut the open, locked log ``path`` with content ``data`` where ``torn`` says.

    Raises ``OSError``; then the log may be uncut.
    """
    removed = data[torn.offset :]
    digest = sha256(removed).hexdigest()
    evidence = None
    if removed:
        evidence = _evidence_path(path, torn.offset, digest)
        _keep(files, evidence, removed)
    files.truncate(fd, torn.offset)
    files.sync(fd)
    return TornTail(torn.offset, len(removed), digest, torn.rule, torn.reason, evidence)


def interrupted_cut(path: Path, *, length: int, sidecar: Sidecar | None) -> bytes:
    """Return what a repair has cut off a log, now of this length, without having recorded it.

    Raises ``OSError``.
    """
    repairs = sidecar.repairs if sidecar is not None else ()
    recorded = {repair.sha256 for repair in repairs if repair.offset == length}
    for evidence in _evidence(path, length):
        removed = read_regular(evidence)
        digest = sha256(removed).hexdigest()
        if digest not in recorded and evidence == _evidence_path(path, length, digest):
            return removed
    return b""


def has_evidence(path: Path, *, length: int) -> bool:
    """Tell whether a repair has cut a log to this length. Raises ``OSError``."""
    return bool(_evidence(path, length))


def corruption_error(path: Path, data: bytes, damaged: Damaged) -> StoreError:
    """Say what is wrong with the file: another version, or damage at a line and byte."""
    version = _other_version(data) if damaged.line == 1 else None
    if version is not None:
        return UnsupportedVersion(
            f"{path.name} has format version {version}, this Perdure reads version "
            f"{FORMAT_VERSION}; use the Perdure that wrote it. Nothing was changed."
        )
    advice = f"; `perdure session salvage {path}` copies the lines before it to a new session"
    return SessionCorrupt(
        f"{path.name} is damaged at {damaged}. Nothing was changed"
        f"{'' if damaged.stands is None else advice}.",
        reason=damaged.reason,
        line=damaged.line,
        offset=damaged.offset,
        seq=damaged.seq,
        expected_chain=damaged.expected,
        actual_chain=damaged.actual,
    )


def _evidence(path: Path, length: int) -> list[Path]:
    return sorted(path.parent.glob(f"{path.stem}.torn-{length}-*"))


def _evidence_path(path: Path, offset: int, digest: str) -> Path:
    return path.with_suffix(f".torn-{offset}-{digest[:8]}")


def _keep(files: Files, evidence: Path, removed: bytes) -> None:
    """Write the copy. A copy that does not match its name is what an earlier crash left."""
    try:
        fd = files.create(evidence)
    except FileExistsError:
        fd = files.open(evidence)
    try:
        if files.read(fd) != removed:
            files.truncate(fd, 0)
            write_all(files, fd, removed)
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
