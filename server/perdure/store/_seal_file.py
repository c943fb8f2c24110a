"""Writing the sidecar: a seal follows each transaction, by the same writer.

* A transaction is written to the log, and synced where the level asks for it, before it is
  sealed. So the sidecar never leads; after a crash it lags by the last transaction, and the next
  seal makes up for that.
* Only its first lines and a repair are synced: a power cut may take seals, not the sidecar. It
  has begun before the log is first written to, or a log with blank sectors would seem damaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from perdure.store._fs import Files, write_all
from perdure.store._transaction import Transaction
from perdure.store.levels import Level
from perdure.store.seal import Repair, Seal, Sidecar, encode_level

NOWHERE = Seal(through=0, end=0, durable=0, chain=b"")


def seal_path(log: Path) -> Path:
    """Return the sidecar's path."""
    return log.with_suffix(".seal")


class SealFile:
    """The sidecar of a log, for whoever holds the log's lock.

    ``place`` must be set to where the log stands before it is begun or added to. ``begun`` is
    False until its first lines are durable; until then nothing is added. ``size`` is in bytes.
    """

    def __init__(self, files: Files, log: Path, *, level: Level) -> None:
        self.place = NOWHERE
        self.begun = False
        self._files = files
        self._path = seal_path(log)
        self._level = level
        self._recorded_level: Level | None = None
        self._fd: int | None = None
        self.size = 0
        self._ragged = False

    def load(self) -> bytes | None:
        """Open the sidecar and return its content, None when there is none. Raises ``OSError``."""
        try:
            self._fd = self._files.open(self._path)
        except FileNotFoundError:
            return None
        return self._files.read(self._fd)

    def follow(self, sidecar: Sidecar, *, length: int) -> None:
        """Go on where the sidecar stands; its content of ``length`` bytes says this."""
        self.begun = bool(sidecar.seals or sidecar.repairs)
        self._recorded_level = sidecar.level
        self.size = sidecar.length if self.begun else 0
        self._ragged = length > self.size

    def begin(self) -> None:
        """Unless it has begun, seal the log as it stands, durably. Raises ``OSError``."""
        if self.begun:
            return
        if self._fd is None:
            self._fd = self._files.create(self._path)
        self._append(self._fd, encode_level(self._level) + self.place.encode())
        self._files.sync(self._fd)
        self._files.sync_directory(self._path.parent)
        self.begun = True

    def add(self, transactions: Sequence[Transaction], *, synced: bool) -> None:
        """Seal transactions that the log holds; ``synced`` says that it was synced after them.

        Raises ``OSError``; then the next seal makes up for these.
        """
        place = self.place
        durable = transactions[-1].through if synced else place.durable
        seals = b""
        for line, through in transactions:
            place = place.after(line, through=through, durable=durable)
            seals += place.encode()
        self.place = place
        if self._recorded_level != self._level:
            seals = encode_level(self._level) + seals
        if self.begun and self._fd is not None:
            self._append(self._fd, seals)

    def record(self, repair: Repair) -> None:
        """Record a repair durably, and seal what is left of the log. Raises ``OSError``."""
        self.begin()
        if self._fd is not None:
            self._append(self._fd, repair.encode() + self.place.encode())
            self._files.sync(self._fd)

    def close(self) -> None:
        """Close the file; never fails, harmless when repeated."""
        fd, self._fd = self._fd, None
        if fd is not None:
            with suppress(OSError):
                self._files.close(fd)

    def discard(self) -> None:
        """Close and remove the sidecar of a log that is not to be."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _append(self, fd: int, lines: bytes) -> None:
        """Append to whole lines: what an earlier failure or a crash left behind them is cut."""
        if self._ragged:
            self._files.truncate(fd, self.size)
        self._ragged = True
        write_all(self._files, fd, lines)
        self._ragged = False
        self.size += len(lines)
        self._recorded_level = self._level
