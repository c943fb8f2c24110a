"""A real MCP server for tests, written with the SDK: on stdio, or on loopback HTTP.

``python -m tests.support.mcp_server`` speaks on stdio; with ``http`` it listens on a free port
and names it in a line on standard output. ``MCP_PID_FILE`` takes its pid and that of a child.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ImageContent, TextContent

server = MCPServer("test server")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def note(path: str, text: str, seconds: float = 0) -> str:
    """Append a line to a file, then wait, then append "done"."""
    _append(path, text)
    time.sleep(seconds)
    if seconds:
        _append(path, "done")
    return f"noted {text}"


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


@server.tool()
def flood(characters: int) -> str:
    """Return a long text."""
    return "x" * characters


@server.tool()
def crash() -> str:
    """End the server at once."""
    os._exit(3)


@server.tool()
def environment(name: str) -> str:
    """Return a variable of the environment."""
    return os.environ.get(name, "(not set)")


@server.tool()
def picture() -> CallToolResult:
    """Return a text and an image."""
    text = TextContent(text="a picture")
    return CallToolResult(content=[text, ImageContent(data="", mime_type="image/png")])


def _append(path: str, text: str) -> None:
    with Path(path).open("a") as file:
        file.write(text + "\n")


def main() -> None:
    """Serve."""
    pid_file = os.environ.get("MCP_PID_FILE")
    if pid_file:
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        Path(pid_file).write_text(f"{os.getpid()} {child.pid}")
    if sys.argv[1:] != ["http"]:
        server.run("stdio")
        return
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    print(port, flush=True)
    server.run("streamable-http", host="127.0.0.1", port=port)


if __name__ == "__main__":
    main()
