"""Reading and writing ``S.snapshot``. Blocking; the cache of a log never fails its log."""

from __future__ import annotations

import logging
from pathlib import Path

from perdure.core.reducer.ledger import Ledger
from perdure.store._fs import Files, read_regular
from perdure.store._prefix_hash import PrefixHash
from perdure.store._replace import replace_file
from perdure.store.levels import Level
from perdure.store.seal import Seal, link, seed
from perdure.store.snapshot import Snapshot, parse_snapshot

logger = logging.getLogger(__name__)


def snapshot_path(log: Path) -> Path:
    """Return the snapshot's path."""
    return log.with_suffix(".snapshot")


def read_snapshot(log: Path) -> Snapshot | None:
    """Return the snapshot beside a log, None when there is none that can be used."""
    try:
        return parse_snapshot(read_regular(snapshot_path(log)))
    except OSError:
        return None


def write_snapshot(
    files: Files, log: Path, ledger: Ledger, place: Seal, *, sidecar: int, level: Level
) -> bool:
    """Replace the snapshot by one of ``ledger``, which stands at ``place``; tell whether it was.

    ``sidecar`` is where the seal of that place ends, and ``level`` what stands before it.

    The log is read again: bytes that the chain does not vouch for get no snapshot, or it would
    hide from the next opening what has become of them.
    """
    try:
        chain, prefix = _hashes(files, log, length=place.end)
        if chain != place.chain:
            return False
        snapshot = Snapshot(place, prefix, ledger.pack(), sidecar, level)
        replace_file(files, snapshot_path(log), snapshot.encode(), sync=True)
    except OSError as error:
        logger.info("There is no new snapshot of %s: %s", log.name, error)
        return False
    return True


def _hashes(files: Files, log: Path, *, length: int) -> tuple[bytes, bytes]:
    """Return the chain and the prefix hash of the first bytes of a log. Raises ``OSError``."""
    digest = PrefixHash()
    chain = b""
    rest = length
    with open(files.open(log), "rb") as file:
        while rest > 0 and (line := file.readline(rest)):
            chain = link(chain, line) if chain else seed(line)
            digest.update(line)
            rest -= len(line)
    return chain, digest.digest()
