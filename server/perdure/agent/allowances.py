"""What the user has allowed before: for this session in memory, for the workspace in a file."""

from __future__ import annotations

from pathlib import Path

from perdure.json_types import JsonObject
from perdure.tools.approval import allowances_for, load_allowances, remember_allowances


class Allowances:
    """Keys of allowed calls, see ``perdure.tools.approval``; ``file`` has the workspace's."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._session: set[str] = set()

    def keys(self) -> frozenset[str]:
        """Return all keys; the file is read each time, because the user may edit it."""
        return load_allowances(self.file) | self._session

    def allow_for_session(self, tool_name: str, arguments: JsonObject) -> None:
        """Remember until the session is put away."""
        self._session |= allowances_for(tool_name, arguments)

    def allow_for_workspace(self, tool_name: str, arguments: JsonObject) -> None:
        """Remember for good. Raises ``OSError`` when the file can not be written."""
        remember_allowances(self.file, allowances_for(tool_name, arguments))
