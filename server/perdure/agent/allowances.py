"""What the user has allowed before: for this session in memory, for the workspace in a file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from perdure.tools.approval import load_allowances, remember_allowances


class Allowances:
    """Keys of allowed calls, see ``perdure.tools.approval``; ``file`` has the workspace's."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._session: set[str] = set()

    def keys(self) -> frozenset[str]:
        """Return all keys; the file is read each time, because the user may edit it."""
        return load_allowances(self.file) | self._session

    def allow_for_session(self, keys: Collection[str]) -> None:
        """Remember until the session is put away."""
        self._session.update(keys)

    def allow_for_workspace(self, keys: Collection[str]) -> None:
        """Remember for good. Raises ``OSError`` when the file cannot be written."""
        remember_allowances(self.file, keys)
