"""An MCP server on stdio without the SDK: it starts at once, and behaves as badly as it is asked.

Each call runs on a thread of its own. Variables of the environment: ``MCP_PID_FILE`` takes the
pids of the server and of a child, ``MCP_STDERR`` is written to standard error, ``MCP_GARBAGE`` to
standard output before all messages, ``MCP_MORE_TOOLS`` names a file with the names of further
tools; with ``MCP_REFUSAL`` it answers every request with an error of these words.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_writing = threading.Lock()


def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


def note(path: str, text: str, seconds: float = 0) -> str:
    """Append a line to a file, wait, and append "done"."""
    with Path(path).open("a") as file:
        file.write(text + "\n")
        file.flush()
        time.sleep(seconds)
        file.write("done\n")
    return "noted"


def flood(characters: int) -> str:
    """Return a long text."""
    return "x" * characters


def chatter(messages: int) -> str:
    """Send so many notifications first."""
    for _ in range(messages):
        _send(method="notifications/message", params={"level": "info", "data": "x" * 200})
    return "said"


def crowd(members: int) -> list[dict[str, str]]:
    """Return so many blocks that say nothing."""
    return [{}] * members


def crash() -> str:
    """End the server at once."""
    os._exit(3)


def environment(name: str) -> str:
    """Return a variable of the environment."""
    return os.environ.get(name, "(not set)")


_TOOLS: dict[str, Callable[..., str | list[dict[str, str]]]] = {
    tool.__name__: tool for tool in (note, add, flood, chatter, crowd, crash, environment)
}


def main() -> None:
    """Serve until the end of input; calls that still run do not keep it alive."""
    pid_file = os.environ.get("MCP_PID_FILE")
    if pid_file:
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        Path(pid_file).write_text(f"{os.getpid()} {child.pid}")
    print(os.environ.get("MCP_STDERR", ""), file=sys.stderr, flush=True)
    print(os.environ.get("MCP_GARBAGE", ""), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            _answer(request)


def _answer(request: Any) -> None:  # noqa: ANN401
    refusal = os.environ.get("MCP_REFUSAL", "")
    if refusal:
        _send(id=request["id"], error={"code": -1, "message": refusal})
        return
    match request["method"]:
        case "initialize":
            capabilities: dict[str, dict[str, str]] = {"tools": {}}
            info = {"name": "raw", "version": "1"}
            result = {"capabilities": capabilities, "serverInfo": info}
            _send(id=request["id"], result={**result, "protocolVersion": "2025-06-18"})
        case "tools/list":
            more = os.environ.get("MCP_MORE_TOOLS", "")
            names = [*_TOOLS, *(Path(more).read_text().split() if more else [])]
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
            _send(id=request["id"], result={"tools": tools})
        case "tools/call":
            threading.Thread(target=_call, args=(request,), daemon=True).start()
        case _:
            _send(id=request["id"], error={"code": -32601, "message": "no such method"})


def _call(request: Any) -> None:  # noqa: ANN401
    params = request["params"]
    said = _TOOLS[params["name"]](**params["arguments"])
    content = [{"type": "text", "text": said}] if isinstance(said, str) else said
    _send(id=request["id"], result={"content": content})


def _send(**message: Any) -> None:  # noqa: ANN401
    with _writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
