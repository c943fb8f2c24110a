"""Facts: the smallest durable units of a session (session-format sections 5 to 8).

Wire objects, typed (see ``messages``). A *draft* is what a caller hands to the store: a fact
whose ``seq``, ``timestamp`` and (unless something refers to it) ``id`` the store assigns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, NotRequired, TypeAlias

from annotated_types import Ge, Le, MinLen
from typing_extensions import TypedDict

from perdure.core.messages import (
    AssistantMessage,
    Message,
    NonEmpty,
    StopReason,
    ToolMessage,
    UserMessage,
)
from perdure.json_types import JsonObject

MAX_INTEGER = 2**53 - 1


class Pattern:
    """Annotation that puts ``pattern`` into the JSON Schema; pydantic calls it when it is used."""

    def __init__(self, regex: str) -> None:
        self.regex = regex

    def __get_pydantic_json_schema__(
        self, core_schema: object, handler: Callable[[object], dict[str, object]]
    ) -> dict[str, object]:
        return handler(core_schema) | {"pattern": self.regex}


Id: TypeAlias = Annotated[
    str, Pattern("^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
]
Digest: TypeAlias = Annotated[str, Pattern("^sha256:[0-9a-f]{64}$")]
Natural: TypeAlias = Annotated[int, Ge(0), Le(MAX_INTEGER)]
Positive: TypeAlias = Annotated[int, Ge(1), Le(MAX_INTEGER)]

OperationKind: TypeAlias = Literal["run", "compaction"]
StepKind: TypeAlias = Literal["assistant", "compaction"]
Replay: TypeAlias = Literal["safe", "never"]
Phase: TypeAlias = Literal["model", "tool", "compact"]
PreExecutionReason: TypeAlias = Literal["invalidArguments", "unknownTool", "truncated", "aborted"]


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


class Header(TypedDict):
    """Line 1 of a session file (section 4)."""

    kind: Literal["header"]
    version: Literal[2]
    id: Id
    createdAt: Natural
    cwd: NonEmpty
    provider: NonEmpty
    model: NonEmpty
    environmentIdentity: NonEmpty


# --- entries (section 6) -------------------------------------------------------------------


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

# --- records (section 7) -------------------------------------------------------------------


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

# --- usage (section 8) and envelopes (section 5) --------------------------------------------


class UsageCounters(TypedDict):
    """Tokens; ``input`` excludes cache reads and writes."""

    input: Natural
    output: Natural
    cacheRead: Natural
    cacheWrite: Natural


class EntryFact(TypedDict):
    """Envelope of an entry."""

    kind: Literal["entry"]
    seq: Positive
    id: Id
    timestamp: Natural
    entry: Entry


class RecordFact(TypedDict):
    """Envelope of a record."""

    kind: Literal["record"]
    seq: Positive
    id: Id
    timestamp: Natural
    record: Record


class UsageFact(TypedDict):
    """Tokens of one attempt or one tool intent."""

    kind: Literal["usage"]
    seq: Positive
    id: Id
    timestamp: Natural
    operationId: Id
    attemptId: NotRequired[Id]
    toolStartedId: NotRequired[Id]
    usage: UsageCounters


Fact: TypeAlias = EntryFact | RecordFact | UsageFact

# --- drafts ---------------------------------------------------------------------------------


class EntryDraft(TypedDict):
    """An entry to commit."""

    kind: Literal["entry"]
    id: NotRequired[str]
    entry: Entry


class RecordDraft(TypedDict):
    """A record to commit."""

    kind: Literal["record"]
    id: NotRequired[str]
    record: Record


class UsageDraft(TypedDict):
    """A usage fact to commit."""

    kind: Literal["usage"]
    id: NotRequired[str]
    operationId: str
    attemptId: NotRequired[str]
    toolStartedId: NotRequired[str]
    usage: UsageCounters


Draft: TypeAlias = EntryDraft | RecordDraft | UsageDraft
