"""What is told while an operation works."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from perdure.json_types import JsonObject


class DeltaParams(TypedDict):
    """``perdure/delta``: provisional output, merged and droppable."""

    sessionId: str
    operationId: str
    stepId: str
    kind: Literal["text", "reasoning", "toolArguments", "toolOutput"]
    toolCallId: NotRequired[str]
    text: str


class CommittedParams(TypedDict):
    """``perdure/committed``: facts exactly as they stand in the file, after they are durable."""

    sessionId: str
    facts: list[JsonObject]
