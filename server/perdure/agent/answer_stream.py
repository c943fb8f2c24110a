"""An answer while it streams: shown in pieces, without keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from perdure.agent.keys import Keys, Pieces
from perdure.core.state import Step
from perdure.protocol.progress import DeltaParams
from perdure.providers.base import Delta


class AnswerStream:
    """Shows the deltas of one step by ``show``; each kind of text, of each call, by itself."""

    def __init__(
        self, session_id: str, step: Step, keys: Keys, show: Callable[[DeltaParams], None]
    ) -> None:
        self._session_id = session_id
        self._step = step
        self._keys = keys
        self._show = show
        self._streams: dict[tuple[str, str | None], Pieces] = {}

    def take(self, delta: Delta) -> None:
        """Show a piece; what could be the beginning of a key waits for the next one."""
        stream = (delta.kind, delta.tool_call_id)
        if stream not in self._streams:
            self._streams[stream] = self._keys.stream(partial(self._publish, delta))
        self._streams[stream].take(delta.text)

    def end(self) -> None:
        """Show what still waits, when the answer is complete."""
        for pieces in self._streams.values():
            pieces.end()

    def _publish(self, first: Delta, text: str) -> None:
        params: DeltaParams = {
            "sessionId": self._session_id,
            "operationId": self._step.operation_id,
            "stepId": self._step.step_id,
            "kind": first.kind,
            "text": text,
        }
        if first.tool_call_id is not None:
            params["toolCallId"] = self._keys.without(first.tool_call_id)
        self._show(params)
