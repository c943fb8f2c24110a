"""A small LSP client on asyncio and the standard library.

It starts any command line as a real server process and drives it: for ``perdure demo``, and for
tests, which also need the rude things that editors do (kill, stop reading, close the pipe).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from perdure.cli.lsp_connection import Connection, ConnectionLost, RpcError
from perdure.json_types import JsonObject, JsonValue

__all__ = ["ConnectionLost", "LspClient", "RpcError"]

_POLL_SECONDS = 0.01


class LspClient(Connection):
    """One server process and the connection to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process needs pipes")
        super().__init__(process.stdout, process.stdin)
        self.process = process

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stderr: Path | None = None,
    ) -> Self:
        """Start ``command``; its standard error is appended to ``stderr`` or thrown away."""
        with open(stderr or os.devnull, "ab") as sink:  # noqa: ASYNC230
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env=dict(env),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=sink,
            )
        return cls(process)

    async def initialize(
        self,
        folders: Sequence[Path] = (),
        *,
        settings: JsonObject | None = None,
        capabilities: JsonObject | None = None,
        **params: JsonValue,
    ) -> Any:  # noqa: ANN401
        """Do ``initialize`` and ``initialized``; return the result of the first.

        ``params`` add to the request's params or replace them.
        """
        result = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": None,
                "capabilities": capabilities or {},
                "workspaceFolders": [
                    {"uri": folder.as_uri(), "name": folder.name} for folder in folders
                ],
                "initializationOptions": settings,
                **params,
            },
        )
        self.notify("initialized", {})
        return result

    async def command(self, name: str, **argument: JsonValue) -> Any:  # noqa: ANN401
        """Run ``perdure.<name>`` and return its result; raises like ``request``."""
        return await self.begin_command(name, **argument)[1]

    def begin_command(self, name: str, **argument: JsonValue) -> tuple[int, asyncio.Future[Any]]:
        """Run ``perdure.<name>``; return the request's id and the future of its result."""
        params: JsonObject = {"command": f"perdure.{name}", "arguments": [argument]}
        return self.begin("workspace/executeCommand", params)

    async def shutdown(self, *, timeout: float = 5) -> int:
        """Do ``shutdown`` and ``exit``; return the exit code."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.wait(timeout=timeout)

    def close_stdin(self) -> None:
        """Close the server's input, as an editor that vanishes does."""
        self._output.close()

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()

    async def wait(self, *, timeout: float = 5) -> int:
        """Return the exit code; raises TimeoutError after ``timeout`` seconds."""
        async with asyncio.timeout(timeout):
            # Process.wait() also waits until the output is read to its end.
            while (code := self.process.returncode) is None:  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
            return code

    async def close(self) -> None:
        """Kill the process if it still runs, and end the connection."""
        if self.process.returncode is None:
            self.kill()
        await self.finish()
        await self.process.wait()
