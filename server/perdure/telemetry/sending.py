"""Spans as those of OpenTelemetry, over OTLP and HTTP. Imports the SDK; used by one thread only."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from perdure import __version__
from perdure.telemetry.span import Span

TIMEOUT_SECONDS = 5.0
TRACES = "/v1/traces"
_NANOSECONDS = 1_000_000


class Sender:
    """Sends to an OTLP endpoint; headers and certificates are those of ``OTEL_EXPORTER_OTLP_*``."""

    def __init__(self, endpoint: str) -> None:
        # It says at length in the log what ``send`` says by its result.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        self._exporter = OTLPSpanExporter(endpoint=_url(endpoint), timeout=TIMEOUT_SECONDS)
        self._resource = Resource.create(
            {"service.name": "perdure", "service.version": __version__}
        )
        self._scope = InstrumentationScope("perdure", __version__)

    def send(self, spans: Sequence[Span]) -> bool:
        """Return whether the endpoint took the spans; blocks for some seconds at most."""
        result = self._exporter.export([self._readable(span) for span in spans])
        return result is SpanExportResult.SUCCESS

    def _readable(self, span: Span) -> ReadableSpan:
        return ReadableSpan(
            name=span.name,
            context=_context(span.trace_id, span.span_id),
            parent=None if span.parent_id is None else _context(span.trace_id, span.parent_id),
            resource=self._resource,
            attributes=dict(span.attributes),
            kind=SpanKind.INTERNAL,
            status=Status(StatusCode.ERROR if span.error else StatusCode.OK),
            start_time=span.start * _NANOSECONDS,
            end_time=span.end * _NANOSECONDS,
            instrumentation_scope=self._scope,
        )


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags.get_default())


def _url(endpoint: str) -> str:
    """Return where traces go: an endpoint is given with or without its path."""
    base = endpoint.rstrip("/")
    return base if base.endswith(TRACES) else f"{base}{TRACES}"
