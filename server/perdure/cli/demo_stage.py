"""Where the demo plays: a scratch workspace, real servers, and the eyes of an outsider."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from perdure.agent.session_facts import session_facts
from perdure.cli.demo_narrator import Narrator
from perdure.cli.lsp_client import LspClient
from perdure.core.facts import Fact
from perdure.json_types import JsonObject

_OURS = ("PERDURE_MODEL", "PERDURE_BASE_URL", "PERDURE_ENVIRONMENT_IDENTITY")
_POLL_SECONDS = 0.02
_PATIENCE_SECONDS = 20


class Stage:
    """Everything lies below ``scratch``."""

    def __init__(self, scratch: Path, narrator: Narrator) -> None:
        self.workspace = scratch / "workspace"
        self.marker = self.workspace / "marker.txt"
        self.stderr = scratch / "server-stderr.txt"
        self._state = scratch / "state"
        self._narrator = narrator
        self._server: LspClient | None = None
        self.workspace.mkdir()

    async def start(self, *, model: str) -> LspClient:
        """Start a server and open the workspace, as an editor does."""
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        self._server = await LspClient.start(
            [sys.executable, "-m", "perdure", "serve"],
            cwd=self.workspace,
            env={**environment, "PERDURE_STATE_DIR": str(self._state)},
            stderr=self.stderr,
        )
        self._server.on_request("window/showMessageRequest", lambda _: None)
        settings: JsonObject = {
            "model": {"provider": "demo", "name": model},
            "approval": {"bash": "allow"},
            "resume": "auto",
            "durability": "barrier",
            "runningCommands": "kill",
            "sessionsDir": "",
        }
        await self._server.initialize([self.workspace], settings=settings)
        return self._server

    async def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        if self._server is not None:
            self._server.kill()
            await self._server.wait()
            await self._server.close()

    async def close(self) -> None:
        """Leave no server behind."""
        if self._server is not None:
            await self._server.close()

    async def until(self, happened: Callable[[], object], otherwise: str) -> None:
        """Watch from outside until something has happened."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while not happened():
            self._narrator.check(time.monotonic() < end, otherwise)
            await asyncio.sleep(_POLL_SECONDS)

    def log(self) -> bytes:
        """Return the bytes of the session file, b"" before there is one."""
        files = list(self._state.glob("workspaces/*/sessions/*.jsonl"))
        self._narrator.check(len(files) <= 1, "there are several session files")
        return files[0].read_bytes() if files else b""

    def facts(self) -> list[Fact]:
        """Return the facts in the session file."""
        return session_facts(self.log())

    def effects(self) -> list[str]:
        """Return the lines that the command has left in the marker file."""
        return self.marker.read_text(encoding="utf-8").splitlines() if self.marker.exists() else []


def digest(data: bytes) -> str:
    """Return the beginning of the SHA-256, enough to compare by eye."""
    return sha256(data).hexdigest()[:16]
