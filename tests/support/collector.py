"""A real collector of OTLP traces on loopback: it takes spans, refuses them, or never answers."""

from __future__ import annotations

import gzip
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any, Literal, TypeAlias

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.loopback import LoopbackServer, Serving, Silent

Behaviour: TypeAlias = Literal["takes", "refuses", "hangs"]


class Collector(Serving):
    """Use it as a context manager."""

    def __init__(self, behaviour: Behaviour = "takes") -> None:
        self.spans: list[Any] = []
        self.paths: list[str] = []
        self.behaviour = behaviour
        self.asked = threading.Event()
        self._http = _Server(self)

    @property
    def endpoint(self) -> str:
        """What the setting names."""
        return self._http.origin

    def names(self) -> list[str]:
        """The names of the spans, in the order in which they came."""
        return [span.name for span in self.spans]


class _Server(LoopbackServer):
    def __init__(self, owner: Collector) -> None:
        self.owner = owner
        super().__init__(_Handler)


class _Handler(Silent, BaseHTTPRequestHandler):
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
            self.server.stopping.wait()
            return
        if owner.behaviour == "takes":
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    owner.spans += scope.spans
        self.send_response(200 if owner.behaviour == "takes" else 400)
        self.send_header("content-length", "0")
        self.end_headers()
