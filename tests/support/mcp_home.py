"""MCP servers for tests: their settings, and a server on loopback HTTP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from perdure.json_types import JsonObject
from perdure.mcp.names import tool_name
from perdure.mcp.spec import CALL_SECONDS, ServerSpec

REPOSITORY = Path(__file__).parents[2]
SDK_COMMAND = (sys.executable, "-m", "tests.support.mcp_server")
RAW_COMMAND = (sys.executable, "-m", "tests.support.mcp_raw_server")


def spec_of(
    command: Sequence[str], *, seconds: float = CALL_SECONDS, **environment: str
) -> ServerSpec:
    """A server on stdio that is called ``test``."""
    return ServerSpec(
        "test",
        command=command[0],
        args=tuple(command[1:]),
        cwd=str(REPOSITORY),
        env=tuple(environment.items()),
        timeout_seconds=seconds,
    )


def on_stdio(command: Sequence[str], **environment: str) -> JsonObject:
    """The settings of such a server; everything it offers is allowed."""
    return {
        "command": command[0],
        "args": [*command[1:]],
        "env": {"PYTHONPATH": str(REPOSITORY), **environment},
        "approval": "allow",
    }


def mcp_settings(**servers: JsonObject) -> JsonObject:
    """The section of the settings."""
    return {"servers": {**servers}}


def named(tool: str, server: str = "test") -> str:
    """The name by which a model calls a tool."""
    return tool_name(server, tool)


@contextmanager
def on_http(environ: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run the test server on loopback; give its url."""
    process = subprocess.Popen(
        [*SDK_COMMAND, "http"],
        cwd=REPOSITORY,
        env={**os.environ, **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        while not _listens(port):
            assert process.poll() is None
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.communicate()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
