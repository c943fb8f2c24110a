"""A process that runs one command as a server would: ``ROOT DATA ID kill|keep TIMEOUT COMMAND``.

A further argument ``sandbox`` puts the command into one.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.unit.tools.bench import Bench

from perdure.json_types import JsonObject
from perdure.tools.registry import builtin_tools
from perdure.tools.sandbox import Sandbox


async def serve(arguments: list[str]) -> None:
    """Run the command and print the result's content."""
    root, data, tool_started_id, mode, timeout, command, *more = arguments
    sandbox = Sandbox() if more == ["sandbox"] else None
    bench = Bench(Path(root), Path(data), builtin_tools(sandbox=sandbox))
    context = bench.context(tool_started_id, keep_running=mode == "keep")
    call: JsonObject = {"command": command, "timeout": float(timeout)}
    result = await bench.tool("bash").execute(call, context)
    sys.stdout.write(result.content)


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1:]))
