"""What the user has allowed before: for this session in memory, for the workspace in a file."""

from __future__ import annotations

from pathlib import Path

from perdure.json_types import JsonObject
from perdure.tools.approval import allowance_key, load_allowances, remember_allowance


class Allowances:
    """Keys of allowed calls (see ``perdure.tools.approval.allowance_key``)."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._session: set[str] = set()

    def keys(self) -> frozenset[str]:
        """Return all keys; the file is read each time, because the user may edit it."""
        return load_allowances(self._file) | self._session

    def allow_for_session(self, tool_name: str, arguments: JsonObject) -> None:
        """Remember until the session is put away."""
        self._session.add(allowance_key(tool_name, arguments))

    def allow_for_workspace(self, tool_name: str, arguments: JsonObject) -> None:
        """Remember for good. Raises ``OSError`` when the file can not be written."""
        remember_allowance(self._file, allowance_key(tool_name, arguments))
