"""Perdure's own LSP methods: the only list of them.

The handlers take their argument types from here, and ``schemas/PROTOCOL.md`` is generated from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from perdure.protocol import (
    approvals,
    changes,
    documents,
    editor,
    operations,
    progress,
    prompts,
    sessions,
    status,
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of ``workspace/executeCommand``, with one optional argument, an object.

    One that ``changes`` something goes on when its request is cancelled, and answers with what
    came of it; cancelling one that only reads or waits ends it.
    """

    name: str
    arguments: type[Any]
    result: type[Any]
    says: str
    changes: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """A method of our own; ``result`` is None for a notification."""

    name: str
    sent_by: Literal["server", "client"]
    params: type[Any]
    result: type[Any] | None
    says: str


COMMANDS = (
    Command(
        "perdure.prompt",
        prompts.PromptArguments,
        prompts.PromptResult,
        "Accept a prompt; answers once it is durable, before the model is asked.",
    ),
    Command(
        "perdure.abort",
        operations.AbortArguments,
        operations.AbortResult,
        "End the unfinished operation; answers when it is durably closed.",
    ),
    Command(
        "perdure.resume",
        operations.SessionArguments,
        operations.ResumeResult,
        "Go on with an unfinished operation. A blocked plan is a result, not an error.",
    ),
    Command(
        "perdure.resumeRecorded",
        operations.SessionArguments,
        operations.ResumeResult,
        "Go on under the configuration that is recorded, for this operation alone.",
    ),
    Command(
        "perdure.relocate",
        operations.SessionArguments,
        status.Status,
        "Abort the operation of a renamed workspace and go on in a copy of its session here.",
    ),
    Command(
        "perdure.compact",
        operations.SessionArguments,
        operations.CompactResult,
        "Summarise older messages; answers once the compaction is accepted.",
    ),
    Command(
        "perdure.continue",
        operations.SessionArguments,
        prompts.PromptResult,
        "Start a new run after one that failed; nothing that was done is done again.",
    ),
    Command(
        "perdure.compactAndContinue",
        operations.SessionArguments,
        operations.CompactResult,
        "Compact after a run whose context was too long, then continue.",
    ),
    Command(
        "perdure.approve",
        operations.ApproveArguments,
        status.Status,
        "Answer a pending approval, at any time.",
    ),
    Command(
        "perdure.status",
        operations.FolderArguments,
        status.Status,
        "Tell the folder's state.",
        changes=False,
    ),
    Command(
        "perdure.wait",
        operations.WaitArguments,
        status.Status,
        "Answer as soon as nothing runs or is about to start by itself, or after the time given.",
        changes=False,
    ),
    Command(
        "perdure.models",
        operations.FolderArguments,
        status.ModelsResult,
        "Ask the endpoint which models it offers.",
        changes=False,
    ),
    Command(
        "perdure.queue",
        operations.SessionArguments,
        prompts.QueueResult,
        "List the prompts that wait.",
        changes=False,
    ),
    Command(
        "perdure.queueEdit",
        prompts.QueueEditArguments,
        prompts.QueueResult,
        "Change the text of a prompt that waits.",
    ),
    Command(
        "perdure.queueRemove",
        prompts.QueueRemoveArguments,
        prompts.QueueResult,
        "Take back a prompt that waits.",
    ),
    Command(
        "perdure.sessions",
        operations.FolderArguments,
        sessions.SessionsResult,
        "List the folder's sessions, newest first.",
        changes=False,
    ),
    Command(
        "perdure.openSession",
        operations.OpenSessionArguments,
        status.Status,
        "Open another session, and do what reopening does.",
    ),
    Command(
        "perdure.newSession",
        operations.FolderArguments,
        status.Status,
        "Start an empty session.",
    ),
    Command(
        "perdure.takeOver",
        operations.FolderArguments,
        status.Status,
        "Ask the process that holds the session to suspend and let go, then take it.",
    ),
    Command(
        "perdure.complete",
        prompts.CompleteArguments,
        prompts.CompleteResult,
        "Complete the path of a mention, one folder at a time.",
        changes=False,
    ),
    Command(
        "perdure.renameSession",
        sessions.RenameSessionArguments,
        sessions.RenameSessionResult,
        "Give a session a title; an empty one brings the first prompt back.",
    ),
    Command(
        "perdure.searchSessions",
        sessions.SearchSessionsArguments,
        sessions.SearchSessionsResult,
        "Find text in titles and transcripts, newest first.",
        changes=False,
    ),
    Command(
        "perdure.deleteSession",
        sessions.DeleteSessionArguments,
        sessions.DeleteSessionResult,
        "Move a finished session to the trash; asks first, unless confirmed.",
    ),
    Command(
        "perdure.exportSession",
        operations.SessionArguments,
        sessions.ExportSessionResult,
        "Tell the transcript as Markdown.",
        changes=False,
    ),
    Command(
        "perdure.forkSession",
        sessions.ForkSessionArguments,
        status.Status,
        "Start a session with the past of another, up to one of its prompts.",
    ),
    Command(
        "perdure.changes",
        changes.ChangesArguments,
        changes.ChangesResult,
        "List what a session, or one run of it, changed.",
        changes=False,
    ),
    Command(
        "perdure.undo",
        changes.UndoArguments,
        changes.UndoResult,
        "Restore the files of a run that nobody has changed since; asks first, unless confirmed.",
    ),
    Command(
        "perdure.showLog",
        operations.SessionArguments,
        documents.ShowLogResult,
        "Show the session file in the editor.",
    ),
    Command(
        "perdure.showChanged",
        operations.FolderArguments,
        documents.ShowLogResult,
        "Show what differs from the recorded configuration, with diffs.",
    ),
)

METHODS = (
    Method(
        "perdure/status",
        "server",
        status.Status,
        None,
        "The folder's state, whenever it changes.",
    ),
    Method(
        "perdure/delta",
        "server",
        progress.DeltaParams,
        None,
        "Provisional output, merged to at most 20 a second; droppable.",
    ),
    Method(
        "perdure/committed",
        "server",
        progress.CommittedParams,
        None,
        "Facts exactly as they stand in the file, after they are durable.",
    ),
    Method(
        "perdure/transcriptChanged",
        "server",
        documents.TranscriptChangedParams,
        None,
        "A document that was asked for by perdure/transcript has changed.",
    ),
    Method(
        "perdure/approve",
        "server",
        approvals.ApproveParams,
        approvals.ApproveResult,
        "May this tool run? Null means: not decided. Sent to clients that declare "
        "experimental.perdure.approve; others get window/showMessageRequest.",
    ),
    Method(
        "perdure/diagnostics",
        "server",
        editor.DiagnosticsParams,
        editor.DiagnosticsResult,
        "What does the editor report now, from whatever source? Sent to clients that declare "
        "experimental.perdure.diagnostics; for others there is no tool of that name.",
    ),
    Method(
        "perdure/transcript",
        "client",
        documents.TranscriptParams,
        documents.TranscriptResult,
        "The document perdure:/<sessionId>.md, for clients without workspace/textDocumentContent.",
    ),
)
