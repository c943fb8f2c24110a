"""A real server, a scripted model in its own process, and what they were doing when."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from tests.support.lsp_client import start_server, workspace
from tests.support.model_replies import Reply, calls_reply, text_reply

from perdure.cli.lsp_client import LspClient
from perdure.json_types import JsonObject

Script: TypeAlias = Sequence[Reply]

ALLOW: JsonObject = {"bash": "allow", "write": "allow", "edit": "allow"}


@dataclass(frozen=True)
class Exchange:
    """Monotonic ns: a request was read, the first and the last part of its answer were sent."""

    received: int
    first: int
    last: int


@dataclass(frozen=True)
class Lab:
    """A server process that works with a model."""

    client: LspClient
    folder: Path
    home: Path

    @property
    def timeline(self) -> list[Exchange]:
        """What the model has answered so far."""
        lines = (self.home / "model" / "timeline.jsonl").read_text().splitlines()
        return [Exchange(**json.loads(line)) for line in lines]

    async def talk(self, text: str = "go") -> None:
        """Send a prompt and wait until the run is over."""
        await self.client.command("prompt", text=text)
        await self.client.command("wait", timeoutSeconds=300)

    def memory(self, name: str) -> float:
        """Return a figure of the server's ``/proc/PID/status`` in MB, such as ``VmHWM``."""
        status = Path(f"/proc/{self.client.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith(name))
        return int(line.split()[1]) / 1000


@asynccontextmanager
async def lab(
    home: Path, replies: Script, *, settings: JsonObject | None = None
) -> AsyncIterator[Lab]:
    """Start both in ``home``; they are killed at the end."""
    folder = workspace(home)
    async with serving(home, replies) as url, start_server(home) as client:
        model: JsonObject = {"provider": "openai", "name": "test-model", "baseUrl": url}
        merged: JsonObject = {"model": model, "approval": ALLOW, **(settings or {})}
        await client.initialize([folder], settings=merged)
        yield Lab(client, folder, home)


@asynccontextmanager
async def serving(home: Path, replies: Script) -> AsyncIterator[str]:
    """Start the model alone; the base URL."""
    folder = home / "model"
    folder.mkdir(parents=True)
    (folder / "replies.json").write_text(json.dumps([_parts(reply) for reply in replies]))
    model = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.benchmarks.model_process",
        str(folder),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        if model.stdout is None:
            raise AssertionError("the model has no output")
        yield f"http://127.0.0.1:{int(await model.stdout.readline())}/v1"
    finally:
        model.kill()
        await model.wait()


def turns(count: int, *, tool: str) -> list[Reply]:
    """Return answers that call a tool so many times, and then stop."""
    calls = [calls_reply((tool, _arguments(tool, number))) for number in range(count)]
    return [*calls, text_reply("done")]


def gaps(timeline: Sequence[Exchange]) -> list[float]:
    """Return the ms between each answer and the next request."""
    return [(after.received - before.last) / 1e6 for before, after in pairwise(timeline)]


def _arguments(tool: str, number: int) -> JsonObject:
    """Return arguments that differ from those before: a repeated call would be asked about."""
    if tool == "bash":
        return {"command": f"true {number}"}
    return {"path": f"file{number % 2}.txt"}


def _parts(reply: Reply) -> list[str | float]:
    return [part.decode() if isinstance(part, bytes) else part for part in reply.parts]
