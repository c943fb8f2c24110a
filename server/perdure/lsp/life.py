"""The life of one server process, from the first byte to the exit code.

pygls' own loop reads in its thread pool, writes in the event loop, hangs on signals and always
exits with 0. Here a daemon thread reads, another one writes, and whatever ends the process (exit,
end of input, a dead client, a signal) suspends the work first, within two seconds.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading

from perdure.lsp.framing import FramingError, read_frames
from perdure.lsp.outbox import Outbox
from perdure.lsp.server import Server
from perdure.lsp.stdio import Stream

DRAIN_SECONDS = 0.3
"""How long the last answers may take to be written."""

_ENDING_SIGNALS = [
    number for number in signal.Signals if number.name in ("SIGTERM", "SIGINT", "SIGHUP")
]

logger = logging.getLogger(__name__)


async def serve(stream: Stream, server: Server) -> int:
    """Serve one client until it is gone; return the exit code: 0 after ``shutdown``, else 1."""
    loop = asyncio.get_running_loop()

    def client_died(reason: str) -> None:
        loop.call_soon_threadsafe(server.stop, reason)

    outbox = Outbox(stream.write, on_dead=client_died)
    server.protocol.connect(outbox)
    reader = threading.Thread(target=_read, args=(stream, server, loop), daemon=True)
    reader.start()
    _stop_on_signals(server, loop)
    reason = await server.stopped
    await server.suspend()
    outbox.drain(DRAIN_SECONDS)
    logger.info("The server ends: %s", reason)
    return 0 if server.protocol.shut_down else 1


def _read(stream: Stream, server: Server, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over message after message; runs in a thread of its own."""
    reason = "end of input"
    try:
        for body in read_frames(stream.read):
            loop.call_soon_threadsafe(server.protocol.receive, body)
    except (OSError, FramingError) as error:
        reason = f"the input cannot be read: {error}"
    loop.call_soon_threadsafe(server.stop, reason)


def _stop_on_signals(server: Server, loop: asyncio.AbstractEventLoop) -> None:
    def stop(number: int, _: object = None) -> None:
        loop.call_soon_threadsafe(server.stop, signal.Signals(number).name)

    for number in _ENDING_SIGNALS:
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:
            signal.signal(number, stop)
