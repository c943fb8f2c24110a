"""A real collector of OTLP traces on loopback: it takes spans, refuses them, or never answers."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

Behaviour: TypeAlias = Literal["takes", "refuses", "hangs"]


class Collector:
    """Use it as a context manager."""

    def __init__(self, behaviour: Behaviour = "takes") -> None:
        self.spans: list[Any] = []
        self.paths: list[str] = []
        self.behaviour = behaviour
        self.ending = threading.Event()
        self.asked = threading.Event()
        self._http = _Server(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ending.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def endpoint(self) -> str:
        """What the setting names."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def names(self) -> list[str]:
        """The names of the spans, in the order in which they came."""
        return [span.name for span in self.spans]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: Collector) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        """Do as the collector is told."""
        owner = self.server.owner
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        owner.paths.append(self.path)
        owner.asked.set()
        if owner.behaviour == "hangs":
            owner.ending.wait()
            return
        if owner.behaviour == "takes":
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    owner.spans += scope.spans
        self.send_response(200 if owner.behaviour == "takes" else 400)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""
