"""The log and its sidecar as one: append to the log, then seal what it holds.

A transaction that is in the log is stored, whatever becomes of its seal. A sidecar that cannot be
written falls behind; with the next transaction it is cut back to its last whole line and goes on,
with a seal that vouches for everything before it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from perdure.store._log import LogFile
from perdure.store._seal_file import SealFile
from perdure.store._transaction import Transaction
from perdure.store.seal import Seal

logger = logging.getLogger(__name__)


class SealedLog:
    """A locked log whose transactions are sealed as they are written."""

    def __init__(self, log: LogFile, seal: SealFile) -> None:
        self._log = log
        self._seal = seal

    @property
    def needs_thread(self) -> bool:
        """Return whether the next append syncs on its own account: it begins the sidecar."""
        return not self._seal.begun

    @property
    def place(self) -> Seal:
        """Return where the log stands."""
        return self._seal.place

    @property
    def sidecar_size(self) -> int:
        """Return how many bytes the sidecar has; its last line is the seal of ``place``."""
        return self._seal.size

    def append(self, transactions: Sequence[Transaction], *, sync: bool) -> None:
        """Write whole transactions, and sync them when asked; raises as ``LogFile.append``."""
        if not self._seal.begun:
            self._begin()
        self._log.append(b"".join([line for line, _ in transactions]), sync=sync)
        try:
            self._seal.add(transactions, synced=sync)
        except OSError as error:
            logger.warning("The sidecar falls behind its log: %s", error)

    def close(self) -> None:
        """Close the sidecar, then give up the lock; harmless when repeated."""
        self._seal.close()
        self._log.close()

    def _begin(self) -> None:
        try:
            self._seal.begin()
        except OSError as error:
            logger.warning("The sidecar cannot be begun yet: %s", error)
