"""Types of Perdure's own LSP messages: the only list of them.

Field names are the wire's. ``schemas/protocol.schema.json`` is generated from this module.
TypedDicts, because they are built on hot paths and need no import of pydantic.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from perdure.json_types import JsonObject, JsonValue

State: TypeAlias = Literal[
    "none", "idle", "running", "waitingForApproval", "suspended", "blocked", "unavailable"
]
ChangeState: TypeAlias = Literal["applied", "changedSince", "reverted"]
UndoOutcome: TypeAlias = Literal["undone", "kept", "nothing"]
Decision: TypeAlias = Literal["allow", "allowForSession", "allowForWorkspace", "deny"]


class Detail(TypedDict):
    """One field that differs: what was recorded and what is there now.

    ``diff`` is a unified diff, where both texts are known.
    """

    field: str
    recorded: str
    current: str
    diff: NotRequired[str]


class Action(TypedDict):
    """A legal next action, as a command."""

    title: str
    command: str
    arguments: list[JsonValue]


class BlockedInfo(TypedDict):
    """Why work stands still, for the states ``blocked`` and ``unavailable``."""

    code: str
    title: str
    details: list[Detail]
    actions: list[Action]


class FailedInfo(TypedDict):
    """Why the last run failed, and how to go on; the title of an action names a wait asked for."""

    operationId: str
    code: str
    message: str
    actions: list[Action]


class InterruptedFile(TypedDict):
    """The file that a call was writing when it was interrupted, and what is known of it."""

    uri: str
    toolCallId: str
    message: str


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


class FilePreview(TypedDict):
    """Before and after of a file."""

    uri: str
    before: str
    after: str


class CommandPreview(TypedDict):
    """A shell command in full, and the folder in which it runs."""

    command: str
    directory: NotRequired[str]


class ApproveParams(TypedDict):
    """``perdure/approve``: asks for a decision.

    ``reason`` says why the user is asked about a call that is allowed.
    """

    approvalId: str
    sessionId: str
    toolCallId: str
    toolName: str
    arguments: JsonObject
    title: str
    preview: NotRequired[FilePreview | CommandPreview]
    reason: NotRequired[str]


class ApproveResult(TypedDict):
    """The answer to ``perdure/approve``; null instead of it means: not decided."""

    decision: Decision
    message: NotRequired[str]


class Position(TypedDict):
    """A position of LSP, counted from 0."""

    line: int
    character: int


class Range(TypedDict):
    """A range of LSP."""

    start: Position
    end: Position


class Attachment(TypedDict):
    """Context that the editor offers with a prompt, as it is when the prompt is sent.

    ``file``: the whole file. ``selection``: the text, or else the whole lines that ``range``
    touches. ``diagnostics``: the text, one problem a line. Without ``text`` a file of the
    workspace is read, unsaved changes included; with it the ``uri`` may be any.
    """

    kind: Literal["file", "selection", "diagnostics"]
    uri: str
    range: NotRequired[Range]
    text: NotRequired[str]


class DiagnosticsParams(TypedDict):
    """``perdure/diagnostics``: one file, all files without ``uri``."""

    uri: NotRequired[str]


class EditorDiagnostic(TypedDict):
    """A diagnostic of LSP; its further fields may be there and are not read."""

    range: Range
    message: str
    severity: NotRequired[int]
    source: NotRequired[str]
    code: NotRequired[int | str]


class FileDiagnostics(TypedDict):
    """What an editor reports of one file."""

    uri: str
    diagnostics: list[EditorDiagnostic]


class DiagnosticsResult(TypedDict):
    """The files of which the editor reports something, whatever their scheme and place."""

    items: list[FileDiagnostics]


class PromptArguments(TypedDict):
    """``perdure.prompt``; with ``queue`` it waits where it cannot start at once.

    ``text`` may mention files and folders of the workspace: ``@path``, ``@path:10-20``,
    ``@"path with spaces"``. What is mentioned and attached becomes part of the message; images
    do not, and what is missing stays as it is typed, which the user is told.
    """

    workspaceFolder: NotRequired[str]
    text: str
    attachments: NotRequired[list[Attachment]]
    sessionId: NotRequired[str]
    newSession: NotRequired[bool]
    queue: NotRequired[bool]


class PromptResult(TypedDict):
    """Returned once the acceptance transaction is durable, or the place in the queue.

    A prompt that waits has ``queuedId`` and ``position``, from 1, instead of ``operationId``.
    """

    sessionId: str
    operationId: NotRequired[str]
    queuedId: NotRequired[str]
    position: NotRequired[int]


class QueueResult(TypedDict):
    """What waits, first in first, as it is after the command."""

    items: list[QueuedInfo]


class QueueEditArguments(TypedDict):
    """``perdure.queueEdit``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    queuedId: str
    text: str


class QueueRemoveArguments(TypedDict):
    """``perdure.queueRemove``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    queuedId: str


class CompleteArguments(TypedDict):
    """``perdure.complete``; ``prefix`` is what is typed behind the ``@``."""

    workspaceFolder: NotRequired[str]
    prefix: str


class CompleteResult(TypedDict):
    """Paths relative to the workspace folder that go on from the prefix; folders end with ``/``."""

    paths: list[str]


class AbortArguments(TypedDict):
    """``perdure.abort``."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]
    reason: NotRequired[str]


class AbortResult(TypedDict):
    """Returned when the operation is durably closed."""

    outcome: Literal["aborted", "completed", "failed", "idle"]
    operationId: NotRequired[str]


class SessionArguments(TypedDict):
    """The session on the desk, unless another one is named.

    ``perdure.continue``: start a run after one that failed, with the prompt "Continue."; error
    ``not_found`` when none did. ``perdure.compactAndContinue``: compact first; what is done when
    the server ends in between is completed by reopening, which offers to continue.

    ``perdure.compact``, ``perdure.resume``, ``perdure.queue``, ``perdure.exportSession``, and
    ``perdure.resumeRecorded``: resume under the recorded configuration, for this operation alone;
    error ``not_found`` that names what is no longer available. ``perdure.relocate``: abort what
    is unfinished in a session of another environment, then go on in a new one with its past; the
    result is a ``Status``.
    """

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]


class CompactResult(TypedDict):
    """Returned once the compaction is accepted."""

    outcome: Literal["started", "nothing_to_compact"]
    operationId: NotRequired[str]


class ResumeResult(TypedDict):
    """A blocked plan is a result, not an error."""

    outcome: Literal["resumed", "idle", "running", "blocked"]
    plan: JsonObject
    blocked: NotRequired[BlockedInfo]


class FolderArguments(TypedDict):
    """``perdure.status``, ``perdure.sessions``, ``perdure.newSession``, ``perdure.takeOver``,
    ``perdure.models``.

    ``perdure.takeOver`` asks the process that holds the session to suspend and let go of it, then
    opens it here as reopening does; the result is a ``Status``. Error ``session_in_use`` when the
    holder has not let go within 3 s.
    """

    workspaceFolder: NotRequired[str]


class OpenSessionArguments(TypedDict):
    """``perdure.openSession``."""

    workspaceFolder: NotRequired[str]
    sessionId: str


class WaitArguments(TypedDict):
    """``perdure.wait``; ``timeoutSeconds`` defaults to 600."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    timeoutSeconds: NotRequired[float]


class ApproveArguments(TypedDict):
    """``perdure.approve``."""

    workspaceFolder: NotRequired[str]
    approvalId: str
    decision: Decision
    message: NotRequired[str]


class SessionInfo(TypedDict):
    """One row of ``perdure.sessions``; times are ms since the epoch."""

    sessionId: str
    title: str
    createdAt: int
    updatedAt: int
    state: str
    usage: UsageInfo
    path: str


class SessionsResult(TypedDict):
    """Newest first."""

    sessions: list[SessionInfo]


class RenameSessionArguments(TypedDict):
    """``perdure.renameSession``; an empty title takes the name away."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    title: str


class RenameSessionResult(TypedDict):
    """The title as it is shown now."""

    sessionId: str
    title: str


class SearchSessionsArguments(TypedDict):
    """``perdure.searchSessions``."""

    workspaceFolder: NotRequired[str]
    query: str


class SearchHit(TypedDict):
    """A session with the text in its title or transcript; times are ms since the epoch."""

    sessionId: str
    title: str
    createdAt: int
    updatedAt: int
    snippet: str


class SearchSessionsResult(TypedDict):
    """Newest first, at most 50."""

    sessions: list[SearchHit]


class DeleteSessionArguments(TypedDict):
    """``perdure.deleteSession``; asks the user unless ``confirmed`` is true."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    confirmed: NotRequired[bool]


class DeleteSessionResult(TypedDict):
    """``path`` is the folder in the trash that holds the session now."""

    outcome: Literal["deleted", "kept"]
    path: NotRequired[str]


class ExportSessionResult(TypedDict):
    """The transcript as Markdown."""

    markdown: str


class ForkSessionArguments(TypedDict):
    """``perdure.forkSession``; ``entryId`` is the user entry before which the copy ends."""

    workspaceFolder: NotRequired[str]
    sessionId: str
    entryId: str


class ChangesArguments(TypedDict):
    """``perdure.changes``: of one session, and of one operation if it is named."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]


class FileChange(TypedDict):
    """What one call did to a file.

    ``path`` is relative to the workspace folder; ``diff`` is empty where the contents are not
    kept. ``changedSince``: what the file holds now is something else.
    """

    path: str
    kind: Literal["created", "modified"]
    operationId: str
    toolCallId: str
    diff: str
    state: ChangeState


class CommandRun(TypedDict):
    """A shell command that was started; what it changed is not known and cannot be undone."""

    command: str
    operationId: str
    toolCallId: str


class ChangesResult(TypedDict):
    """The changes by file, each in their order."""

    changes: list[FileChange]
    commands: list[CommandRun]


class UndoArguments(TypedDict):
    """``perdure.undo``: of the last run unless one is named; asks unless ``confirmed`` is true."""

    workspaceFolder: NotRequired[str]
    sessionId: NotRequired[str]
    operationId: NotRequired[str]
    confirmed: NotRequired[bool]


class UndoneFile(TypedDict):
    """What became of a file that the run changed; ``message`` says why it ``failed``.

    A file that the run created is ``removed``; one that something else has changed is left alone.
    """

    path: str
    outcome: Literal["restored", "removed", "changedSince", "alreadyReverted", "failed"]
    message: NotRequired[str]


class UndoResult(TypedDict):
    """``kept``: the user said no. ``commands`` are those of the run, which stay as they are."""

    outcome: UndoOutcome
    operationId: NotRequired[str]
    files: list[UndoneFile]
    commands: list[CommandRun]


class TranscriptParams(TypedDict):
    """``perdure/transcript``, for clients without ``workspace/textDocumentContent``."""

    uri: str


class TranscriptResult(TypedDict):
    """The session as Markdown; from now on ``perdure/transcriptChanged`` tells of changes."""

    text: str


class TranscriptChangedParams(TypedDict):
    """``perdure/transcriptChanged``: the text is another one now; ask again to see it."""

    uri: str


class ShowLogResult(TypedDict):
    """The file, and whether the client has opened it.

    ``perdure.showLog``: the session's own; ``perdure.showChanged``: a Markdown text that says what
    changed since the blocked operation was recorded.
    """

    uri: str
    shown: bool


class ErrorData(TypedDict):
    """``data`` of a JSON-RPC error."""

    code: str
    status: NotRequired[Status]
