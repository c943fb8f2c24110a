"""JSON that is printed and read but never stored: reductions, configurations, plans.

Session-format sections 11, 14.1 and 14.2, written down as types for the schemas alone.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias

from annotated_types import MinLen
from typing_extensions import TypedDict

from perdure.core.facts import UsageCounters
from perdure.core.messages import Message, NonEmpty, StopReason
from perdure.core.plans import BlockedReason
from perdure.core.records import ConfigurationSnapshot, Replay, StepKind, WireError
from perdure.core.reducer.outcome import ErrorCode
from perdure.core.scalars import Digest, Id, Natural, Positive
from perdure.json_types import JsonObject

# --- a reduction (section 11) ---------------------------------------------------------------


class Header(TypedDict):
    """The header without ``kind`` and ``version``."""

    id: Id
    createdAt: Natural
    cwd: NonEmpty
    provider: NonEmpty
    model: NonEmpty
    environmentIdentity: NonEmpty


class Step(TypedDict):
    """The current step and its latest attempt."""

    operationId: Id
    stepId: Id
    attemptId: Id
    attempt: Literal[1, 2]
    stepKind: StepKind
    status: Literal["attempting", "settled", "failed"]
    contextThroughEntryId: Id
    configurationSnapshot: ConfigurationSnapshot
    configurationDigest: Digest
    settledEntryId: NotRequired[Id]
    stopReason: NotRequired[StopReason]


class ToolCall(TypedDict):
    """An intent of the run and whether its result is stored."""

    operationId: Id
    toolStartedId: Id
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
    status: Literal["pending", "completed"]


class Idle(TypedDict):
    """No unfinished operation."""

    kind: Literal["idle"]


class Run(TypedDict):
    """An unfinished run; ``toolCalls`` are all of the run, in order of their intents."""

    kind: Literal["run"]
    operationId: Id
    inputEntryId: Id
    step: NotRequired[Step]
    toolCalls: list[ToolCall]
    abortRequested: bool


class Compaction(TypedDict):
    """An unfinished compaction."""

    kind: Literal["compaction"]
    operationId: Id
    inputThroughEntryId: Id
    resultEntryId: Id
    step: NotRequired[Step]
    abortRequested: bool


class State(TypedDict):
    """What the bytes mean."""

    header: Header
    transcript: list[Message]
    activeContext: list[Message]
    usage: UsageCounters
    operation: Idle | Run | Compaction
    repairedLength: Positive


class Fault(TypedDict):
    """The first fault; ``seq`` is the one found in the fact."""

    code: ErrorCode
    line: Positive
    seq: NotRequired[Positive]


class Accepted(TypedDict):
    """The file is a session."""

    ok: Literal[True]
    state: State


class Refused(TypedDict):
    """The file is corrupt."""

    ok: Literal[False]
    error: Fault


Reduction: TypeAlias = Accepted | Refused

# --- the planner's input (section 14.1) -----------------------------------------------------


class CurrentTool(TypedDict):
    """How a tool is declared now."""

    name: NonEmpty
    definitionDigest: Digest
    replay: Replay
    replayKey: NonEmpty


class CurrentConfiguration(TypedDict):
    """What the planner compares the session with."""

    configurationDigest: Digest
    environmentIdentity: NonEmpty
    tools: list[CurrentTool]


# --- the planner's output (section 14.2) ----------------------------------------------------


class Finish(TypedDict):
    """Commit the terminal; on an idle session nothing is left to do."""

    type: Literal["finish"]
    outcome: Literal["completed", "aborted", "failed"]
    completion: NotRequired[Literal["normal", "truncated"]]
    finalEntryId: NotRequired[Id]
    error: NotRequired[WireError]


class StartStep(TypedDict):
    """Send a model request; ``stepId`` only for attempt 2."""

    type: Literal["startStep"]
    stepKind: StepKind
    attempt: Literal[1, 2]
    stepId: NotRequired[Id]
    contextThroughEntryId: Id


class StartTool(TypedDict):
    """Start a call, or run a safe one again; ``toolStartedId`` only for a replay."""

    type: Literal["startTool"]
    mode: Literal["start", "replay"]
    assistantEntryId: Id
    toolIndex: Natural
    toolStartedId: NotRequired[Id]
    toolName: NonEmpty
    arguments: JsonObject


class UnstartedResult(TypedDict):
    """The result of a call that was never started."""

    assistantEntryId: Id
    toolIndex: Natural
    toolCallId: NonEmpty
    toolName: NonEmpty
    reason: Literal["invalidArguments", "unknownTool", "truncated", "aborted"]
    content: str


class InterruptedResult(TypedDict):
    """The result of a started call whose effect is unknown."""

    assistantEntryId: Id
    toolIndex: Natural
    toolCallId: NonEmpty
    toolName: NonEmpty
    reason: Literal["interrupted"]
    content: str
    toolStartedId: Id
    resultEntryId: Id


class AppendSynthetic(TypedDict):
    """Commit these results as one transaction, in index order."""

    type: Literal["appendSynthetic"]
    results: Annotated[list[UnstartedResult | InterruptedResult], MinLen(1)]


class CloseAttempt(TypedDict):
    """Commit ``stepFailed`` for the open attempt."""

    type: Literal["closeAttempt"]
    error: WireError


class Blocked(TypedDict):
    """Nothing may happen without a person."""

    type: Literal["blocked"]
    reason: BlockedReason


Plan: TypeAlias = Finish | StartStep | StartTool | AppendSynthetic | CloseAttempt | Blocked
