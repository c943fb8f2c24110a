"""Provisional output, merged to at most 20 notifications a second per stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from perdure.protocol.progress import DeltaParams

INTERVAL_SECONDS = 0.055
"""Between two notifications of one stream; a little over 1/20, since timers are inexact."""


class DeltaMerger:
    """Collects the texts of each stream and publishes them together.

    A stream is one (session, operation, step, kind, tool call). When ``congested`` says that the
    client does not keep up, collected texts are dropped: the committed facts are the truth.
    """

    def __init__(
        self, *, publish: Callable[[DeltaParams], None], congested: Callable[[], bool]
    ) -> None:
        self._publish = publish
        self._congested = congested
        self._texts: dict[tuple[str, ...], list[str]] = {}
        self._first: dict[tuple[str, ...], DeltaParams] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._not_before = 0.0

    def add(self, params: DeltaParams) -> None:
        """Publish ``params`` together with what comes meanwhile: soon, at once after a silence."""
        stream = (
            params["sessionId"],
            params["operationId"],
            params["stepId"],
            params["kind"],
            params.get("toolCallId", ""),
        )
        self._first.setdefault(stream, params)
        self._texts.setdefault(stream, []).append(params["text"])
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(self._not_before, loop.time()), self._flush_on_time)

    def flush(self) -> None:
        """Publish now; called before a fact is shown, so that no delta comes after it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = [(self._first[stream], texts) for stream, texts in self._texts.items()]
        self._texts.clear()
        self._first.clear()
        if self._congested():
            return
        for params, texts in waiting:
            merged = params.copy()
            merged["text"] = "".join(texts)
            self._publish(merged)

    def _flush_on_time(self) -> None:
        self._not_before = asyncio.get_running_loop().time() + INTERVAL_SECONDS
        self.flush()
