"""Entries: what stands under ``entry`` of a fact (session-format section 6)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from perdure.core.messages import (
    AssistantMessage,
    Message,
    NonEmpty,
    StopReason,
    ToolMessage,
    UserMessage,
)
from perdure.core.scalars import Id, Natural

PreExecutionReason: TypeAlias = Literal["invalidArguments", "unknownTool", "truncated", "aborted"]


class UserEntry(TypedDict):
    """A prompt."""

    type: Literal["message"]
    message: UserMessage


class AssistantEntry(TypedDict):
    """An answer; settles its attempt."""

    type: Literal["message"]
    stepId: Id
    attemptId: Id
    stopReason: StopReason
    message: AssistantMessage


class PlainResult(TypedDict):
    """The tool ran and said how it went."""

    type: Literal["success", "error"]


class InterruptedResult(TypedDict):
    """The tool was started; whether its effect happened is unknown."""

    type: Literal["synthetic"]
    reason: Literal["interrupted"]


class PreExecutionResult(TypedDict):
    """The tool was never started."""

    type: Literal["synthetic"]
    reason: PreExecutionReason


class StartedToolEntry(TypedDict):
    """Form A: the result of a started tool, under the provisioned id (6.4)."""

    type: Literal["message"]
    stepId: Id
    message: ToolMessage
    toolName: NonEmpty
    toolStartedId: Id
    result: PlainResult | InterruptedResult


class UnstartedToolEntry(TypedDict):
    """Form B: a synthetic result of a call that was never started (6.5)."""

    type: Literal["message"]
    stepId: Id
    assistantEntryId: Id
    toolIndex: Natural
    message: ToolMessage
    toolName: NonEmpty
    result: PreExecutionResult


class TailItem(TypedDict):
    """One retained message of a compaction, with the entry it came from."""

    sourceEntryId: Id
    message: Message


class CompactionEntry(TypedDict):
    """A summary and the messages kept after it (6.6)."""

    type: Literal["compaction"]
    operationId: Id
    summary: str
    compactedThroughEntryId: Id
    retainedTail: list[TailItem]


Entry: TypeAlias = (
    UserEntry | AssistantEntry | StartedToolEntry | UnstartedToolEntry | CompactionEntry
)
