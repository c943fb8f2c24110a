"""A process that runs one command as a server would: ``ROOT DATA ID kill|keep COMMAND``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.unit.tools.bench import Bench


async def serve(root: str, data: str, tool_started_id: str, mode: str, command: str) -> None:
    """Run the command and print the result's content."""
    bench = Bench(Path(root), Path(data))
    context = bench.context(tool_started_id, keep_running=mode == "keep")
    result = await bench.tool("bash").execute({"command": command}, context)
    sys.stdout.write(result.content)


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
