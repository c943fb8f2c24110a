"""Records: what stands under ``record`` of a fact (session-format section 7)."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias

from annotated_types import Ge, Le, MinLen
from typing_extensions import TypedDict

from perdure.core.messages import NonEmpty
from perdure.core.scalars import Digest, Id, Natural
from perdure.json_types import JsonObject

OperationKind: TypeAlias = Literal["run", "compaction"]
StepKind: TypeAlias = Literal["assistant", "compaction"]
Replay: TypeAlias = Literal["safe", "never"]
Phase: TypeAlias = Literal["model", "tool", "compact"]


class ToolReference(TypedDict):
    """One tool of a configuration snapshot."""

    name: NonEmpty
    definitionDigest: Digest


class ConfigurationSnapshot(TypedDict):
    """The identity of a configuration (section 10): what a retry must find unchanged."""

    model: NonEmpty
    systemPromptDigest: Digest
    tools: list[ToolReference]
    adapterIdentity: NonEmpty
    routingIdentity: NonEmpty
    outputOptionsDigest: Digest


class WireError(TypedDict):
    """Why a step or an operation failed."""

    code: NonEmpty
    message: NonEmpty


class RunStarted(TypedDict):
    """A prompt was accepted (7.1)."""

    type: Literal["runStarted"]
    operationId: Id
    operationKind: Literal["run"]
    inputEntryId: Id


class CompactionStarted(TypedDict):
    """A compaction was accepted (7.2)."""

    type: Literal["compactionStarted"]
    operationId: Id
    operationKind: Literal["compaction"]
    inputThroughEntryId: Id
    resultEntryId: Id
    compactedEntryIds: Annotated[list[Id], MinLen(1)]
    retainedEntryIds: list[Id]
    sourceDigest: Digest


class StepAttempt(TypedDict):
    """One physical model request is about to be sent (7.3)."""

    type: Literal["stepAttempt"]
    operationId: Id
    stepId: Id
    attemptId: Id
    stepKind: StepKind
    attempt: Annotated[int, Ge(1), Le(2)]
    contextThroughEntryId: Id
    configurationSnapshot: ConfigurationSnapshot
    configurationDigest: Digest


class StepFailed(TypedDict):
    """The request ended without an answer that can be used (7.4)."""

    type: Literal["stepFailed"]
    operationId: Id
    stepId: Id
    attemptId: Id
    error: WireError


class ToolStarted(TypedDict):
    """Intent: this tool is about to run (7.5)."""

    type: Literal["toolStarted"]
    operationId: Id
    stepId: Id
    assistantEntryId: Id
    toolIndex: Natural
    toolCallId: NonEmpty
    toolName: NonEmpty
    arguments: JsonObject
    replay: Replay
    replayKey: NonEmpty
    environmentIdentity: NonEmpty
    resultEntryId: Id


class AbortRequested(TypedDict):
    """The user wants the operation to stop (7.6)."""

    type: Literal["abortRequested"]
    operationId: Id
    operationKind: OperationKind
    phase: Phase
    toolCallId: NotRequired[str]
    reason: Literal["escape"]


class OperationFinished(TypedDict):
    """The terminal of an operation (7.7)."""

    type: Literal["operationFinished"]
    operationId: Id
    operationKind: OperationKind
    outcome: Literal["completed", "aborted", "failed"]
    completion: NotRequired[Literal["normal", "truncated"]]
    finalEntryId: NotRequired[Id]
    error: NotRequired[WireError]


Record: TypeAlias = (
    RunStarted
    | CompactionStarted
    | StepAttempt
    | StepFailed
    | ToolStarted
    | AbortRequested
    | OperationFinished
)
