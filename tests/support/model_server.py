"""A scripted model server on loopback that records every request.

::

    with ModelServer([calls_reply(("bash", {"command": "ls"})), text_reply("Done.")]) as server:
        …                                   # server.base_url, e.g. http://127.0.0.1:4711/v1
    assert server.count == 2
    for request in server.requests:
        assert_legal_history(request.body)

It runs on threads of its own, so it serves the test's process and others alike. Replies are
given in order (see ``model_replies``), or chosen by a function of request number and body.
A request for which no reply is left is answered with status 500 and counted like any other.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

from tests.support.loopback import LoopbackServer, Serving, Silent
from tests.support.model_replies import Reply, ReplyFunction, error_reply

from perdure.json_types import JsonObject


@dataclass(frozen=True)
class Received:
    """One request, its header names in lower case.

    ``number`` counts from 1, ``at`` is monotonic seconds; ``client_port`` is the same for the
    requests that came over one connection.
    """

    number: int
    path: str
    headers: dict[str, str]
    body: JsonObject
    at: float
    client_port: int


class ModelServer(Serving):
    """The server; use it as a context manager, or ``start`` and ``stop``."""

    def __init__(
        self,
        replies: Sequence[Reply] | ReplyFunction,
        *,
        resources: Mapping[str, JsonObject] | None = None,
    ) -> None:
        """``resources`` are what ``GET`` finds, by path; by default it is one list of models."""
        self._replies = replies
        self._resources = resources
        self._received: list[Received] = []
        self._departed = 0
        self._changed = threading.Condition()
        self._http = _HttpServer(self)

    @property
    def base_url(self) -> str:
        """The setting ``model.baseUrl`` for this server."""
        return f"{self._http.origin}/v1"

    @property
    def requests(self) -> list[Received]:
        """All requests so far."""
        with self._changed:
            return list(self._received)

    @property
    def count(self) -> int:
        """How many requests came."""
        return len(self.requests)

    @property
    def departed(self) -> int:
        """How many clients left while their reply hung."""
        with self._changed:
            return self._departed

    def start(self) -> None:
        """Serve until ``stop``."""
        self._http.start()

    def stop(self) -> None:
        """End all hanging replies and free the port."""
        self._http.stop()

    def wait_for_requests(self, number: int, timeout: float = 10) -> None:
        """Block until ``number`` requests came; fails after ``timeout`` seconds."""
        self._wait(lambda: len(self._received) >= number, f"{number} requests", timeout)

    def wait_for_departures(self, number: int, timeout: float = 10) -> None:
        """Block until ``number`` clients left hanging replies; fails after ``timeout`` seconds."""
        self._wait(lambda: self._departed >= number, f"{number} departures", timeout)

    def receive(
        self, path: str, headers: dict[str, str], body: JsonObject, client_port: int
    ) -> Reply:
        """Record a request and return its reply; called by the handler threads."""
        with self._changed:
            number = len(self._received) + 1
            now = time.monotonic()
            self._received.append(Received(number, path, headers, body, now, client_port))
            self._changed.notify_all()
        if callable(self._replies):
            return self._replies(number, body)
        if number <= len(self._replies):
            return self._replies[number - 1]
        return error_reply(500, f"the test has no reply for request {number}")

    def resource(self, path: str) -> JsonObject | None:
        """Return what stands at a path; called by the handler threads."""
        if self._resources is None:
            return {"object": "list", "data": [{"id": "test-model"}]}
        return self._resources.get(path)

    def note_departure(self) -> None:
        """Count a client that left; called by the handler threads."""
        with self._changed:
            self._departed += 1
            self._changed.notify_all()

    def _wait(self, reached: Callable[[], bool], what: str, timeout: float) -> None:
        with self._changed:
            assert self._changed.wait_for(reached, timeout), f"waited in vain for {what}"


def assert_legal_history(body: JsonObject) -> None:
    """Assert that each call of a request is followed by exactly one result, in order."""
    messages = body["messages"]
    assert isinstance(messages, list)
    owed: list[object] = []
    for index, message in enumerate(messages):
        assert isinstance(message, dict)
        if message["role"] == "tool":
            assert owed, f"message {index}: a result without a call"
            assert message["tool_call_id"] == owed.pop(0), (
                f"message {index}: result of another call"
            )
            continue
        assert not owed, f"message {index} stands before the results of {owed}"
        calls = message.get("tool_calls") or []
        assert isinstance(calls, list)
        owed = [call["id"] for call in calls if isinstance(call, dict)]
        assert len(set(map(str, owed))) == len(calls), f"message {index}: call ids are not unique"
    assert not owed, f"the request ends without the results of {owed}"


class _HttpServer(LoopbackServer):
    def __init__(self, owner: ModelServer) -> None:
        self.owner = owner
        super().__init__(_Handler)


class _Handler(Silent, BaseHTTPRequestHandler):
    server: _HttpServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Record the request and play its reply."""
        length = int(self.headers.get("content-length", "0"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(self.rfile.read(length))
        reply = self.server.owner.receive(self.path, headers, body, self.client_address[1])
        try:
            self._play(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.server.owner.note_departure()
            self.close_connection = True

    def do_GET(self) -> None:
        """Answer ``/models`` and the like; not counted."""
        found = self.server.owner.resource(self.path)
        body = json.dumps(found).encode()
        headers = {"content-type": "application/json"}
        status = 404 if found is None else 200
        self._play(Reply(status, headers=headers, parts=(body,), framing="length"))

    def _play(self, reply: Reply) -> None:
        silent = reply.status == 0 or (reply.end == "hang" and not reply.parts)
        if not silent:
            self._send_head(reply)
        for part in reply.parts:
            if isinstance(part, bytes):
                self._send_part(part, reply)
            else:
                self.server.stopping.wait(part)
        self._finish(reply)

    def _send_head(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.framing == "chunked":
            self.send_header("transfer-encoding", "chunked")
        elif reply.framing == "length":
            size = sum(len(part) for part in reply.parts if isinstance(part, bytes))
            self.send_header("content-length", str(size))
        self.end_headers()

    def _send_part(self, part: bytes, reply: Reply) -> None:
        if reply.framing == "chunked" and part:
            part = b"%x\r\n%b\r\n" % (len(part), part)
        self.wfile.write(part)
        self.wfile.flush()

    def _finish(self, reply: Reply) -> None:
        if reply.end != "clean" or reply.framing == "close" or not reply.status:
            self.close_connection = True
        if reply.end == "clean" and reply.framing == "chunked" and reply.status:
            self.wfile.write(b"0\r\n\r\n")
        elif reply.end == "reset":
            at_once = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            self.connection.close()
        elif reply.end == "hang":
            self._wait_until_the_client_leaves()

    def _wait_until_the_client_leaves(self) -> None:
        self.connection.settimeout(0.02)
        while not self.server.stopping.is_set():
            try:
                if not self.connection.recv(1):
                    self.server.owner.note_departure()
                    return
            except TimeoutError:
                continue
