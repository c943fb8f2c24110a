---@meta
-- Made by `python schemas/lua_annotations.py`; do not edit.

---``perdure.abort``.
---@class perdure.AbortArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field operationId? string
---@field reason? string

---Returned when the operation is durably closed.
---@class perdure.AbortResult
---@field outcome 'aborted'|'completed'|'failed'|'idle'
---@field operationId? string

---A legal next action, as a command.
---@class perdure.Action
---@field title string
---@field command string
---@field arguments any[]

---The pending approval.
---@class perdure.ApprovalInfo
---@field approvalId string
---@field toolCallId string
---@field toolName string
---@field title string

---``perdure.approve``.
---@class perdure.ApproveArguments
---@field workspaceFolder? string
---@field approvalId string
---@field decision 'allow'|'allowForSession'|'allowForWorkspace'|'deny'
---@field message? string

---``perdure/approve``: asks for a decision.
---``reason`` says why the user is asked about a call that is allowed.
---@class perdure.ApproveParams
---@field approvalId string
---@field sessionId string
---@field toolCallId string
---@field toolName string
---@field arguments table
---@field title string
---@field preview? perdure.FilePreview|perdure.CommandPreview
---@field reason? string

---The answer to ``perdure/approve``; null instead of it means: not decided.
---@class perdure.ApproveResult
---@field decision 'allow'|'allowForSession'|'allowForWorkspace'|'deny'
---@field message? string

---Context that the editor offers with a prompt, as it is when the prompt is sent.
---``file``: the whole file. ``selection``: the text, or else the whole lines that ``range``
---touches. ``diagnostics``: the text, one problem a line. Without ``text`` a file of the
---workspace is read, unsaved changes included; with it the ``uri`` may be any.
---@class perdure.Attachment
---@field kind 'file'|'selection'|'diagnostics'
---@field uri string
---@field range? perdure.Range
---@field text? string

---Why work stands still, for the states ``blocked`` and ``unavailable``.
---@class perdure.BlockedInfo
---@field code string
---@field title string
---@field details perdure.Detail[]
---@field actions perdure.Action[]

---``perdure.changes``: of one session, and of one operation if it is named.
---@class perdure.ChangesArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field operationId? string

---The changes by file, each in their order.
---@class perdure.ChangesResult
---@field changes perdure.FileChange[]
---@field commands perdure.CommandRun[]

---A shell command in full, and the folder in which it runs.
---@class perdure.CommandPreview
---@field command string
---@field directory? string

---A shell command that was started; what it changed is not known and cannot be undone.
---@class perdure.CommandRun
---@field command string
---@field operationId string
---@field toolCallId string

---``perdure/committed``: facts exactly as they stand in the file, after they are durable.
---@class perdure.CommittedParams
---@field sessionId string
---@field facts table[]

---Returned once the compaction is accepted.
---@class perdure.CompactResult
---@field outcome 'started'|'nothing_to_compact'
---@field operationId? string

---``perdure.complete``; ``prefix`` is what is typed behind the ``@``.
---@class perdure.CompleteArguments
---@field workspaceFolder? string
---@field prefix string

---Paths relative to the workspace folder that go on from the prefix; folders end with ``/``.
---@class perdure.CompleteResult
---@field paths string[]

---``perdure.deleteSession``; asks the user unless ``confirmed`` is true.
---@class perdure.DeleteSessionArguments
---@field workspaceFolder? string
---@field sessionId string
---@field confirmed? boolean

---``path`` is the folder in the trash that holds the session now.
---@class perdure.DeleteSessionResult
---@field outcome 'deleted'|'kept'
---@field path? string

---``perdure/delta``: provisional output, merged and droppable.
---@class perdure.DeltaParams
---@field sessionId string
---@field operationId string
---@field stepId string
---@field kind 'text'|'reasoning'|'toolArguments'|'toolOutput'
---@field toolCallId? string
---@field text string

---One field that differs: what was recorded and what is there now.
---``diff`` is a unified diff, where both texts are known.
---@class perdure.Detail
---@field field string
---@field recorded string
---@field current string
---@field diff? string

---``perdure/diagnostics``: one file, all files without ``uri``.
---@class perdure.DiagnosticsParams
---@field uri? string

---The files of which the editor reports something, whatever their scheme and place.
---@class perdure.DiagnosticsResult
---@field items perdure.FileDiagnostics[]

---A diagnostic of LSP; its further fields may be there and are not read.
---@class perdure.EditorDiagnostic
---@field range perdure.Range
---@field message string
---@field severity? integer
---@field source? string
---@field code? integer|string

---``data`` of a JSON-RPC error.
---@class perdure.ErrorData
---@field code string
---@field status? perdure.Status

---The transcript as Markdown.
---@class perdure.ExportSessionResult
---@field markdown string

---Why the last run failed, and how to go on; the title of an action names a wait asked for.
---@class perdure.FailedInfo
---@field operationId string
---@field code string
---@field message string
---@field actions perdure.Action[]

---What one call did to a file.
---``path`` is relative to the workspace folder; ``diff`` is empty where the contents are not
---kept. ``changedSince``: what the file holds now is something else.
---@class perdure.FileChange
---@field path string
---@field kind 'created'|'modified'
---@field operationId string
---@field toolCallId string
---@field diff string
---@field state 'applied'|'changedSince'|'reverted'

---What an editor reports of one file.
---@class perdure.FileDiagnostics
---@field uri string
---@field diagnostics perdure.EditorDiagnostic[]

---Before and after of a file.
---@class perdure.FilePreview
---@field uri string
---@field before string
---@field after string

---``perdure.status``, ``perdure.sessions``, ``perdure.newSession``, ``perdure.takeOver``,
---``perdure.models``.
---``perdure.takeOver`` asks the process that holds the session to suspend and let go of it, then
---opens it here as reopening does; the result is a ``Status``. Error ``session_in_use`` when the
---holder has not let go within 3 s.
---@class perdure.FolderArguments
---@field workspaceFolder? string

---``perdure.forkSession``; ``entryId`` is the user entry before which the copy ends.
---@class perdure.ForkSessionArguments
---@field workspaceFolder? string
---@field sessionId string
---@field entryId string

---The file that a call was writing when it was interrupted, and what is known of it.
---@class perdure.InterruptedFile
---@field uri string
---@field toolCallId string
---@field message string

---One MCP server; ``message`` says what is wrong with it, "" for nothing.
---@class perdure.McpServerInfo
---@field name string
---@field state 'starting'|'connected'|'failed'
---@field tools integer
---@field message string

---The configured model.
---@class perdure.ModelInfo
---@field provider string
---@field name string

---``perdure.models``: what ``endpoint`` (a host, or ``demo``) offers, in its own order.
---An endpoint that cannot be asked is an error that says what to do.
---@class perdure.ModelsResult
---@field endpoint string
---@field models perdure.OfferedModel[]

---A model that the endpoint offers; ``current`` is the one that would be asked now.
---@class perdure.OfferedModel
---@field name string
---@field contextWindow? integer
---@field current boolean

---``perdure.openSession``.
---@class perdure.OpenSessionArguments
---@field workspaceFolder? string
---@field sessionId string

---The unfinished operation. ``startedAt`` is ms since the epoch.
---@class perdure.OperationInfo
---@field operationId string
---@field kind 'run'|'compaction'
---@field phase 'model'|'tool'|'approval'|'closing'
---@field startedAt integer
---@field label string

---A position of LSP, counted from 0.
---@class perdure.Position
---@field line integer
---@field character integer

---``perdure.prompt``; with ``queue`` it waits where it cannot start at once.
---``text`` may mention files and folders of the workspace: ``@path``, ``@path:10-20``,
---``@"path with spaces"``. What is mentioned and attached becomes part of the message; images
---do not, and what is missing stays as it is typed, which the user is told.
---@class perdure.PromptArguments
---@field workspaceFolder? string
---@field text string
---@field attachments? perdure.Attachment[]
---@field sessionId? string
---@field newSession? boolean
---@field queue? boolean

---Returned once the acceptance transaction is durable, or the place in the queue.
---A prompt that waits has ``queuedId`` and ``position``, from 1, instead of ``operationId``.
---@class perdure.PromptResult
---@field sessionId string
---@field operationId? string
---@field queuedId? string
---@field position? integer

---``perdure.queueEdit``.
---@class perdure.QueueEditArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field queuedId string
---@field text string

---``perdure.queueRemove``.
---@class perdure.QueueRemoveArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field queuedId string

---What waits, first in first, as it is after the command.
---@class perdure.QueueResult
---@field items perdure.QueuedInfo[]

---A prompt that waits for the end of the present operation.
---@class perdure.QueuedInfo
---@field queuedId string
---@field text string

---A range of LSP.
---@class perdure.Range
---@field start perdure.Position
---@field end perdure.Position

---``perdure.renameSession``; an empty title takes the name away.
---@class perdure.RenameSessionArguments
---@field workspaceFolder? string
---@field sessionId string
---@field title string

---The title as it is shown now.
---@class perdure.RenameSessionResult
---@field sessionId string
---@field title string

---A blocked plan is a result, not an error.
---@class perdure.ResumeResult
---@field outcome 'resumed'|'idle'|'running'|'blocked'
---@field plan table
---@field blocked? perdure.BlockedInfo

---A session with the text in its title or transcript; times are ms since the epoch.
---@class perdure.SearchHit
---@field sessionId string
---@field title string
---@field createdAt integer
---@field updatedAt integer
---@field snippet string

---``perdure.searchSessions``.
---@class perdure.SearchSessionsArguments
---@field workspaceFolder? string
---@field query string

---Newest first, at most 50.
---@class perdure.SearchSessionsResult
---@field sessions perdure.SearchHit[]

---The session on the desk, unless another one is named.
---``perdure.continue``: start a run after one that failed, with the prompt "Continue."; error
---``not_found`` when none did. ``perdure.compactAndContinue``: compact first; what is done when
---the server ends in between is completed by reopening, which offers to continue.
---``perdure.compact``, ``perdure.resume``, ``perdure.queue``, ``perdure.exportSession``, and
---``perdure.resumeRecorded``: resume under the recorded configuration, for this operation alone;
---error ``not_found`` that names what is no longer available. ``perdure.relocate``: abort what
---is unfinished in a session of another environment, then go on in a new one with its past; the
---result is a ``Status``.
---@class perdure.SessionArguments
---@field workspaceFolder? string
---@field sessionId? string

---One row of ``perdure.sessions``; times are ms since the epoch.
---@class perdure.SessionInfo
---@field sessionId string
---@field title string
---@field createdAt integer
---@field updatedAt integer
---@field state string
---@field usage perdure.UsageInfo
---@field path string

---Newest first.
---@class perdure.SessionsResult
---@field sessions perdure.SessionInfo[]

---The file, and whether the client has opened it.
---``perdure.showLog``: the session's own; ``perdure.showChanged``: a Markdown text that says what
---changed since the blocked operation was recorded.
---@class perdure.ShowLogResult
---@field uri string
---@field shown boolean

---State of one workspace folder.
---``interruptedFile`` is there while work stands still because of, or after, such a call;
---``failed`` while the session is idle and its last run has failed;
---``mcp`` lists the servers that are configured, once their tools were needed.
---@class perdure.Status
---@field workspaceFolder string
---@field environmentIdentity string
---@field sessionId? string
---@field state 'none'|'idle'|'running'|'waitingForApproval'|'suspended'|'blocked'|'unavailable'
---@field operation? perdure.OperationInfo
---@field plan? table
---@field blocked? perdure.BlockedInfo
---@field approval? perdure.ApprovalInfo
---@field usage perdure.UsageInfo
---@field model perdure.ModelInfo
---@field queue perdure.QueuedInfo[]
---@field interruptedFile? perdure.InterruptedFile
---@field failed? perdure.FailedInfo
---@field mcp? perdure.McpServerInfo[]

---``perdure/transcriptChanged``: the text is another one now; ask again to see it.
---@class perdure.TranscriptChangedParams
---@field uri string

---``perdure/transcript``, for clients without ``workspace/textDocumentContent``.
---@class perdure.TranscriptParams
---@field uri string

---The session as Markdown; from now on ``perdure/transcriptChanged`` tells of changes.
---@class perdure.TranscriptResult
---@field text string

---``perdure.undo``: of the last run unless one is named; asks unless ``confirmed`` is true.
---@class perdure.UndoArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field operationId? string
---@field confirmed? boolean

---``kept``: the user said no. ``commands`` are those of the run, which stay as they are.
---@class perdure.UndoResult
---@field outcome 'undone'|'kept'|'nothing'
---@field operationId? string
---@field files perdure.UndoneFile[]
---@field commands perdure.CommandRun[]

---What became of a file that the run changed; ``message`` says why it ``failed``.
---A file that the run created is ``removed``; one that something else has changed is left alone.
---@class perdure.UndoneFile
---@field path string
---@field outcome 'restored'|'removed'|'changedSince'|'alreadyReverted'|'failed'
---@field message? string

---Token sums; ``contextTokens`` is the size of the last request, None when unknown.
---``cost`` is what all of them cost at the prices of the present model, in US dollars unless
---the setting ``model.prices`` is in another unit; None when no price is known.
---@class perdure.UsageInfo
---@field input integer
---@field output integer
---@field cacheRead integer
---@field cacheWrite integer
---@field contextTokens? integer
---@field contextWindow? integer
---@field cost? number

---``perdure.wait``; ``timeoutSeconds`` defaults to 600.
---@class perdure.WaitArguments
---@field workspaceFolder? string
---@field sessionId? string
---@field timeoutSeconds? number
