"""The log and its sidecar as one: append to the log, then seal what it holds."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.store._log import LogFile
from perdure.store._seal_file import SealFile
from perdure.store._transaction import Transaction


class SealedLog:
    """A locked log whose transactions are sealed as they are written."""

    def __init__(self, log: LogFile, seal: SealFile) -> None:
        self._log = log
        self._seal = seal

    @property
    def needs_thread(self) -> bool:
        """Return whether the next append syncs on its own account: it creates the sidecar."""
        return not self._seal.begun

    def append(self, transactions: Sequence[Transaction], sync: bool) -> None:
        """Write whole transactions, and sync them when asked; raises as ``LogFile.append``.

        What becomes of the seals does not concern the caller: the transactions are stored.
        """
        self._log.append(b"".join(transaction.line for transaction in transactions), sync)
        self._seal.add(transactions, synced=sync)

    def close(self) -> None:
        """Close the sidecar, then give up the lock; harmless when repeated."""
        self._seal.close()
        self._log.close()
