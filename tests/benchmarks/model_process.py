"""A scripted model in a process of its own: ``python -m tests.benchmarks.model_process FOLDER``.

``FOLDER/replies.json`` holds the replies to the first requests, the last one serves all others.
Each is a list of texts to send and of seconds to wait. The port is printed. For each request a
line goes to ``FOLDER/timeline.jsonl``, with the monotonic ns at which it was read, its first
part was sent, and its last one.
"""

from __future__ import annotations

import json
import socketserver
import sys
import time
from pathlib import Path
from threading import Lock

_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_NOTHING = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


class ModelServer(socketserver.ThreadingTCPServer):
    """Counts the requests of all connections."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Path) -> None:
        self.replies: list[list[str | float]] = json.loads((folder / "replies.json").read_text())
        self._timeline = (folder / "timeline.jsonl").open("w", buffering=1)
        self._count = 0
        self._lock = Lock()
        super().__init__(("127.0.0.1", 0), _Connection)

    def next_reply(self) -> list[str | float]:
        """Return the reply to one more request."""
        with self._lock:
            reply = self.replies[min(self._count, len(self.replies) - 1)]
            self._count += 1
        return reply

    def note(self, **moments: int) -> None:
        """Write down when something happened."""
        self._timeline.write(json.dumps(moments) + "\n")


class _Connection(socketserver.StreamRequestHandler):
    server: ModelServer
    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Answer requests until the client leaves."""
        while request := self.rfile.readline():
            length = 0
            while (line := self.rfile.readline().strip().lower()) != b"":
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            self.rfile.read(length)
            if request.startswith(b"POST"):
                self._answer(time.monotonic_ns())
            else:
                self.wfile.write(_NOTHING)

    def _answer(self, received: int) -> None:
        first = 0
        self.wfile.write(_HEAD)
        for part in self.server.next_reply():
            if isinstance(part, str):
                first = first or time.monotonic_ns()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(part.encode()), part.encode()))
            else:
                time.sleep(part)
        last = time.monotonic_ns()
        self.wfile.write(b"0\r\n\r\n")
        self.server.note(received=received, first=first, last=last)


def main(folder: Path) -> None:
    """Serve until killed."""
    with ModelServer(folder) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
