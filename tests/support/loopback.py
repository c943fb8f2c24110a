"""Real HTTP servers on loopback: how they begin and end, whatever they answer."""

from __future__ import annotations

import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Silent:
    """A handler that writes nothing to standard error: the first of its bases."""

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


class LoopbackServer(ThreadingHTTPServer):
    """Serves on threads of its own, at a port that is free.

    Use it as a context manager, or ``start`` and ``stop``. Handlers that wait do so for
    ``stopping``, so that none outlives the server.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.stopping = threading.Event()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that are killed are no news."""
        if not isinstance(sys.exception(), ConnectionError):
            traceback.print_exc()

    @property
    def origin(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.server_port}"

    def start(self) -> None:
        """Serve until ``stop``."""
        self._thread.start()

    def stop(self) -> None:
        """End what waits and free the port."""
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class Serving:
    """Has a server of its own, which serves while this is a context."""

    _http: LoopbackServer

    def __enter__(self) -> Self:
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()
