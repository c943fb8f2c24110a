"""Telemetry of one folder: facts in, spans out, on a thread that nobody waits for.

Nothing that happens here touches a run. A queue that is full loses what comes; an endpoint that
fails or hangs, and an SDK that is not installed, are said once in the log.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from perdure.core.facts import Fact
from perdure.telemetry.projector import Projector
from perdure.telemetry.span import Span

if TYPE_CHECKING:
    from perdure.telemetry.sending import Sender
    from perdure.telemetry.settings import TelemetrySettings

MAX_WAITING = 2_048
MAX_BATCH = 256
LAST_SECONDS = 1.0
"""How long the last spans may take at the end."""

Observer: TypeAlias = Callable[[Sequence[Fact]], None]


class Telemetry:
    """Makes observers of sessions; ``close`` sends what waits, for a moment.

    ``log`` takes a line; it is called on another thread. ``environ`` can turn everything off, as
    for every program that uses OpenTelemetry: ``OTEL_SDK_DISABLED=true``.
    """

    def __init__(self, *, environ: Mapping[str, str], log: Callable[[str], None]) -> None:
        self._disabled = environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
        self._log = log
        self._exporters: dict[str, _Exporter] = {}

    def observer(
        self, settings: TelemetrySettings, session_id: str, unfinished: str | None
    ) -> Observer:
        """Return what takes the transactions of a session.

        ``unfinished`` is the operation that is under way in it.
        """
        if self._disabled or not settings.endpoint:
            return lambda _: None
        exporter = self._exporters.get(settings.endpoint)
        if exporter is None:
            exporter = _Exporter(settings.endpoint, self._log)
            self._exporters[settings.endpoint] = exporter
        projector = Projector(session_id, unfinished=unfinished, content=settings.content)

        def observe(facts: Sequence[Fact]) -> None:
            for span in projector.take(facts):
                exporter.put(span)

        return observe

    def close(self) -> None:
        """Send what waits; whatever takes longer than ``LAST_SECONDS`` is lost."""
        exporters = list(self._exporters.values())
        self._exporters.clear()
        for exporter in exporters:
            exporter.end()
        for exporter in exporters:
            exporter.join(LAST_SECONDS)


class _Exporter:
    """One endpoint, its queue and its thread, which never keeps the process alive."""

    def __init__(self, endpoint: str, log: Callable[[str], None]) -> None:
        self._endpoint = endpoint
        self._log = log
        self._told = False
        self._queue: queue.Queue[Span | None] = queue.Queue(MAX_WAITING)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def put(self, span: Span) -> None:
        """Hand over a span; it is lost where too many wait."""
        try:
            self._queue.put_nowait(span)
        except queue.Full:
            self._tell("takes too long; spans are lost")

    def end(self) -> None:
        """Let the thread end when the queue is empty."""
        self._ending.set()
        try:
            self._queue.put_nowait(None)
        except queue.Full:
            return

    def join(self, seconds: float) -> None:
        """Wait for the thread."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            from perdure.telemetry.sending import Sender

            sender = Sender(self._endpoint)
            for spans in self._batches():
                self._send(sender, spans)
        except ModuleNotFoundError:
            self._tell("is not used, because OpenTelemetry is missing: pip install 'perdure[otel]'")
        except Exception as error:  # noqa: BLE001  nothing of this may reach anyone else
            self._tell(f"cannot be used: {error}")

    def _send(self, sender: Sender, spans: Sequence[Span]) -> None:
        try:
            taken = sender.send(spans)
        except Exception:  # noqa: BLE001  the next batch may be taken all the same
            taken = False
        if not taken:
            self._tell("does not take spans")

    def _batches(self) -> Iterator[Sequence[Span]]:
        """Yield what waits, until the end; blocks while nothing does."""
        while True:
            first = self._queue.get()
            batch = [] if first is None else [first]
            while len(batch) < MAX_BATCH and not self._queue.empty():
                span = self._queue.get()
                batch += [] if span is None else [span]
            if batch:
                yield batch
            if self._ending.is_set() and self._queue.empty():
                return

    def _tell(self, words: str) -> None:
        if not self._told:
            self._told = True
            self._log(f"The telemetry endpoint {self._endpoint} {words}.")
