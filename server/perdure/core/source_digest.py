"""The digest of a session's source entries (session-format section 10), kept running.

Source entries are only ever added, so the hash of the first ones serves for all later digests: a
compaction costs what came since the one before it, not the history.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from perdure.core.canonical import canonical_json
from perdure.core.messages import Message
from perdure.core.state import Items


class SourceDigest:
    """Digests of the first entries of two growing lists, of entry ids and of their messages.

    A hash that was kept is never changed, only replaced, so it may be asked from any thread.
    """

    def __init__(self, ids: Sequence[str], messages: Items[Message]) -> None:
        self._ids = ids
        self._messages = messages
        self._latest = 0, hashlib.sha256()

    def of(self, count: int) -> str:
        """Return the digest of the first ``count`` entries."""
        known, latest = self._latest
        running = latest.copy() if known <= count else hashlib.sha256()
        for position in range(known if known <= count else 0, count):
            item = {"sourceEntryId": self._ids[position], "message": self._messages[position]}
            running.update(b"," if position else b"[")
            running.update(canonical_json(item))
        if known <= count:
            self._latest = count, running
        whole = running.copy()
        whole.update(b"]" if count else b"[]")
        return f"sha256:{whole.hexdigest()}"

    def forget(self, count: int) -> None:
        """Note that the lists were cut to ``count`` entries."""
        if self._latest[0] > count:
            self._latest = 0, hashlib.sha256()
