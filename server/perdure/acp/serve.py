"""One client on two descriptors, until it is gone."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from acp.agent.connection import AgentSideConnection

from perdure.acp.agent import PerdureAgent
from perdure.acp.streams import sink, source
from perdure.agent.settings import Settings

if TYPE_CHECKING:
    from acp.interfaces import Agent

MAX_MESSAGE = 50 * 1024 * 1024
"""Bytes of the longest message that is read."""

DRAIN_SECONDS = 2.0
"""How long the last messages may take to get to a file or a terminal."""

_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def serve(
    reading: int, writing: int, *, settings: Settings, environ: Mapping[str, str]
) -> None:
    """Serve the client at two descriptors; return when its end of input or a signal has come."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=MAX_MESSAGE)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(source(reading), "rb")
    )
    watched, copying = sink(writing)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(watched, "wb")
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    agent = PerdureAgent(settings=settings, environ=environ)
    # The router answers for the methods that the agent does not have.
    connection = AgentSideConnection(
        cast("Agent", agent), writer, reader, listening=False, use_unstable_protocol=True
    )
    listening = asyncio.create_task(connection.listen())
    for number in _ENDING_SIGNALS:
        loop.add_signal_handler(number, listening.cancel)
    await asyncio.wait({listening})
    await agent.suspend()
    await connection.close()
    transport.close()
    if copying is not None:
        await asyncio.to_thread(copying.join, DRAIN_SECONDS)
