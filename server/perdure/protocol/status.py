"""The status of a folder, and what it consists of."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from perdure.json_types import JsonObject
from perdure.protocol.trouble import BlockedInfo, FailedInfo, InterruptedFile

State: TypeAlias = Literal[
    "none", "idle", "running", "waitingForApproval", "suspended", "blocked", "unavailable"
]


class McpServerInfo(TypedDict):
    """One MCP server; ``message`` says what is wrong with it, "" for nothing."""

    name: str
    state: Literal["starting", "connected", "failed"]
    tools: int
    message: str


class OperationInfo(TypedDict):
    """The unfinished operation. ``startedAt`` is ms since the epoch."""

    operationId: str
    kind: Literal["run", "compaction"]
    phase: Literal["model", "tool", "approval", "closing"]
    startedAt: int
    label: str


class ApprovalInfo(TypedDict):
    """The pending approval."""

    approvalId: str
    toolCallId: str
    toolName: str
    title: str


class UsageInfo(TypedDict):
    """Token sums; ``contextTokens`` is the size of the last request, None when unknown.

    ``cost`` is what all of them cost at the prices of the present model, in US dollars unless
    the setting ``model.prices`` is in another unit; None when no price is known.
    """

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    contextTokens: int | None
    contextWindow: int | None
    cost: float | None


class ModelInfo(TypedDict):
    """The configured model."""

    provider: str
    name: str


class OfferedModel(TypedDict):
    """A model that the endpoint offers; ``current`` is the one that would be asked now."""

    name: str
    contextWindow: int | None
    current: bool


class ModelsResult(TypedDict):
    """``perdure.models``: what ``endpoint`` (a host, or ``demo``) offers, in its own order.

    An endpoint that cannot be asked is an error that says what to do.
    """

    endpoint: str
    models: list[OfferedModel]


class QueuedInfo(TypedDict):
    """A prompt that waits for the end of the present operation."""

    queuedId: str
    text: str


class Status(TypedDict):
    """State of one workspace folder.

    ``interruptedFile`` is there while work stands still because of, or after, such a call;
    ``failed`` while the session is idle and its last run has failed;
    ``mcp`` lists the servers that are configured, once their tools were needed.
    """

    workspaceFolder: str
    environmentIdentity: str
    sessionId: str | None
    state: State
    operation: OperationInfo | None
    plan: JsonObject | None
    blocked: BlockedInfo | None
    approval: ApprovalInfo | None
    usage: UsageInfo
    model: ModelInfo
    queue: list[QueuedInfo]
    interruptedFile: NotRequired[InterruptedFile]
    failed: NotRequired[FailedInfo]
    mcp: NotRequired[list[McpServerInfo]]
