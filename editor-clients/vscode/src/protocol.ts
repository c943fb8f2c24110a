// Made by `python schemas/generate.py`; do not edit.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * `perdure.abort`.
 */
export interface AbortArguments {
  workspaceFolder?: string;
  sessionId?: string;
  operationId?: string;
  reason?: string;
}

/**
 * Returned when the operation is durably closed.
 */
export interface AbortResult {
  outcome: 'aborted' | 'completed' | 'failed' | 'idle';
  operationId?: string;
}

/**
 * A legal next action, as a command.
 */
export interface Action {
  title: string;
  command: string;
  arguments: Json[];
}

/**
 * The pending approval.
 */
export interface ApprovalInfo {
  approvalId: string;
  toolCallId: string;
  toolName: string;
  title: string;
}

/**
 * `perdure.approve`.
 */
export interface ApproveArguments {
  workspaceFolder?: string;
  approvalId: string;
  decision: 'allow' | 'allowForSession' | 'allowForWorkspace' | 'deny';
  message?: string;
}

/**
 * `perdure/approve`: asks for a decision.
 *
 * `reason` says why the user is asked about a call that is allowed.
 */
export interface ApproveParams {
  approvalId: string;
  sessionId: string;
  toolCallId: string;
  toolName: string;
  arguments: { [key: string]: Json };
  title: string;
  preview?: FilePreview | CommandPreview;
  reason?: string;
}

/**
 * The answer to `perdure/approve`; null instead of it means: not decided.
 */
export interface ApproveResult {
  decision: 'allow' | 'allowForSession' | 'allowForWorkspace' | 'deny';
  message?: string;
}

/**
 * Context that the editor offers with a prompt, as it is when the prompt is sent.
 *
 * `file`: the whole file. `selection`: the text, or else the whole lines that `range`
 * touches. `diagnostics`: the text, one problem a line. Without `text` a file of the
 * workspace is read, unsaved changes included; with it the `uri` may be any.
 */
export interface Attachment {
  kind: 'file' | 'selection' | 'diagnostics';
  uri: string;
  range?: Range;
  text?: string;
}

/**
 * Why work stands still, for the states `blocked` and `unavailable`.
 */
export interface BlockedInfo {
  code: string;
  title: string;
  details: Detail[];
  actions: Action[];
}

/**
 * `perdure.changes`: of one session, and of one operation if it is named.
 */
export interface ChangesArguments {
  workspaceFolder?: string;
  sessionId?: string;
  operationId?: string;
}

/**
 * The changes by file, each in their order.
 */
export interface ChangesResult {
  changes: FileChange[];
  commands: CommandRun[];
}

/**
 * A shell command in full, and the folder in which it runs.
 */
export interface CommandPreview {
  command: string;
  directory?: string;
}

/**
 * A shell command that was started; what it changed is not known and cannot be undone.
 */
export interface CommandRun {
  command: string;
  operationId: string;
  toolCallId: string;
}

/**
 * `perdure/committed`: facts exactly as they stand in the file, after they are durable.
 */
export interface CommittedParams {
  sessionId: string;
  facts: { [key: string]: Json }[];
}

/**
 * Returned once the compaction is accepted.
 */
export interface CompactResult {
  outcome: 'started' | 'nothing_to_compact';
  operationId?: string;
}

/**
 * `perdure.complete`; `prefix` is what is typed behind the `@`.
 */
export interface CompleteArguments {
  workspaceFolder?: string;
  prefix: string;
}

/**
 * Paths relative to the workspace folder that go on from the prefix; folders end with `/`.
 */
export interface CompleteResult {
  paths: string[];
}

/**
 * `perdure.deleteSession`; asks the user unless `confirmed` is true.
 */
export interface DeleteSessionArguments {
  workspaceFolder?: string;
  sessionId: string;
  confirmed?: boolean;
}

/**
 * `path` is the folder in the trash that holds the session now.
 */
export interface DeleteSessionResult {
  outcome: 'deleted' | 'kept';
  path?: string;
}

/**
 * `perdure/delta`: provisional output, merged and droppable.
 */
export interface DeltaParams {
  sessionId: string;
  operationId: string;
  stepId: string;
  kind: 'text' | 'reasoning' | 'toolArguments' | 'toolOutput';
  toolCallId?: string;
  text: string;
}

/**
 * One field that differs: what was recorded and what is there now.
 *
 * `diff` is a unified diff, where both texts are known.
 */
export interface Detail {
  field: string;
  recorded: string;
  current: string;
  diff?: string;
}

/**
 * `perdure/diagnostics`: one file, all files without `uri`.
 */
export interface DiagnosticsParams {
  uri?: string;
}

/**
 * The files of which the editor reports something, whatever their scheme and place.
 */
export interface DiagnosticsResult {
  items: FileDiagnostics[];
}

/**
 * A diagnostic of LSP; its further fields may be there and are not read.
 */
export interface EditorDiagnostic {
  range: Range;
  message: string;
  severity?: number;
  source?: string;
  code?: number | string;
}

/**
 * `data` of a JSON-RPC error.
 */
export interface ErrorData {
  code: string;
  status?: Status;
}

/**
 * The transcript as Markdown.
 */
export interface ExportSessionResult {
  markdown: string;
}

/**
 * Why the last run failed, and how to go on; the title of an action names a wait asked for.
 */
export interface FailedInfo {
  operationId: string;
  code: string;
  message: string;
  actions: Action[];
}

/**
 * What one call did to a file.
 *
 * `path` is relative to the workspace folder; `diff` is empty where the contents are not
 * kept. `changedSince`: what the file holds now is something else.
 */
export interface FileChange {
  path: string;
  kind: 'created' | 'modified';
  operationId: string;
  toolCallId: string;
  diff: string;
  state: 'applied' | 'changedSince' | 'reverted';
}

/**
 * What an editor reports of one file.
 */
export interface FileDiagnostics {
  uri: string;
  diagnostics: EditorDiagnostic[];
}

/**
 * Before and after of a file.
 */
export interface FilePreview {
  uri: string;
  before: string;
  after: string;
}

/**
 * `perdure.status`, `perdure.sessions`, `perdure.newSession`, `perdure.takeOver`,
 * `perdure.models`.
 *
 * `perdure.takeOver` asks the process that holds the session to suspend and let go of it, then
 * opens it here as reopening does; the result is a `Status`. Error `session_in_use` when the
 * holder has not let go within 3 s.
 */
export interface FolderArguments {
  workspaceFolder?: string;
}

/**
 * `perdure.forkSession`; `entryId` is the user entry before which the copy ends.
 */
export interface ForkSessionArguments {
  workspaceFolder?: string;
  sessionId: string;
  entryId: string;
}

/**
 * The file that a call was writing when it was interrupted, and what is known of it.
 */
export interface InterruptedFile {
  uri: string;
  toolCallId: string;
  message: string;
}

/**
 * One MCP server; `message` says what is wrong with it, "" for nothing.
 */
export interface McpServerInfo {
  name: string;
  state: 'starting' | 'connected' | 'failed';
  tools: number;
  message: string;
}

/**
 * The configured model.
 */
export interface ModelInfo {
  provider: string;
  name: string;
}

/**
 * `perdure.models`: what `endpoint` (a host, or `demo`) offers, in its own order.
 *
 * An endpoint that cannot be asked is an error that says what to do.
 */
export interface ModelsResult {
  endpoint: string;
  models: OfferedModel[];
}

/**
 * A model that the endpoint offers; `current` is the one that would be asked now.
 */
export interface OfferedModel {
  name: string;
  contextWindow: number | null;
  current: boolean;
}

/**
 * `perdure.openSession`.
 */
export interface OpenSessionArguments {
  workspaceFolder?: string;
  sessionId: string;
}

/**
 * The unfinished operation. `startedAt` is ms since the epoch.
 */
export interface OperationInfo {
  operationId: string;
  kind: 'run' | 'compaction';
  phase: 'model' | 'tool' | 'approval' | 'closing';
  startedAt: number;
  label: string;
}

/**
 * A position of LSP, counted from 0.
 */
export interface Position {
  line: number;
  character: number;
}

/**
 * `perdure.prompt`; with `queue` it waits where it cannot start at once.
 *
 * `text` may mention files and folders of the workspace: `@path`, `@path:10-20`,
 * `@"path with spaces"`. What is mentioned and attached becomes part of the message; images
 * do not, and what is missing stays as it is typed, which the user is told.
 */
export interface PromptArguments {
  workspaceFolder?: string;
  text: string;
  attachments?: Attachment[];
  sessionId?: string;
  newSession?: boolean;
  queue?: boolean;
}

/**
 * Returned once the acceptance transaction is durable, or the place in the queue.
 *
 * A prompt that waits has `queuedId` and `position`, from 1, instead of `operationId`.
 */
export interface PromptResult {
  sessionId: string;
  operationId?: string;
  queuedId?: string;
  position?: number;
}

/**
 * `perdure.queueEdit`.
 */
export interface QueueEditArguments {
  workspaceFolder?: string;
  sessionId?: string;
  queuedId: string;
  text: string;
}

/**
 * `perdure.queueRemove`.
 */
export interface QueueRemoveArguments {
  workspaceFolder?: string;
  sessionId?: string;
  queuedId: string;
}

/**
 * What waits, first in first, as it is after the command.
 */
export interface QueueResult {
  items: QueuedInfo[];
}

/**
 * A prompt that waits for the end of the present operation.
 */
export interface QueuedInfo {
  queuedId: string;
  text: string;
}

/**
 * A range of LSP.
 */
export interface Range {
  start: Position;
  end: Position;
}

/**
 * `perdure.renameSession`; an empty title takes the name away.
 */
export interface RenameSessionArguments {
  workspaceFolder?: string;
  sessionId: string;
  title: string;
}

/**
 * The title as it is shown now.
 */
export interface RenameSessionResult {
  sessionId: string;
  title: string;
}

/**
 * A blocked plan is a result, not an error.
 */
export interface ResumeResult {
  outcome: 'resumed' | 'idle' | 'running' | 'blocked';
  plan: { [key: string]: Json };
  blocked?: BlockedInfo;
}

/**
 * A session with the text in its title or transcript; times are ms since the epoch.
 */
export interface SearchHit {
  sessionId: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  snippet: string;
}

/**
 * `perdure.searchSessions`.
 */
export interface SearchSessionsArguments {
  workspaceFolder?: string;
  query: string;
}

/**
 * Newest first, at most 50.
 */
export interface SearchSessionsResult {
  sessions: SearchHit[];
}

/**
 * The session on the desk, unless another one is named.
 *
 * `perdure.continue`: start a run after one that failed, with the prompt "Continue."; error
 * `not_found` when none did. `perdure.compactAndContinue`: compact first; what is done when
 * the server ends in between is completed by reopening, which offers to continue.
 *
 * `perdure.compact`, `perdure.resume`, `perdure.queue`, `perdure.exportSession`, and
 * `perdure.resumeRecorded`: resume under the recorded configuration, for this operation alone;
 * error `not_found` that names what is no longer available. `perdure.relocate`: abort what
 * is unfinished in a session of another environment, then go on in a new one with its past; the
 * result is a `Status`.
 */
export interface SessionArguments {
  workspaceFolder?: string;
  sessionId?: string;
}

/**
 * One row of `perdure.sessions`; times are ms since the epoch.
 */
export interface SessionInfo {
  sessionId: string;
  title: string;
  createdAt: number;
  updatedAt: number;
  state: string;
  usage: UsageInfo;
  path: string;
}

/**
 * Newest first.
 */
export interface SessionsResult {
  sessions: SessionInfo[];
}

/**
 * The file, and whether the client has opened it.
 *
 * `perdure.showLog`: the session's own; `perdure.showChanged`: a Markdown text that says what
 * changed since the blocked operation was recorded.
 */
export interface ShowLogResult {
  uri: string;
  shown: boolean;
}

/**
 * State of one workspace folder.
 *
 * `interruptedFile` is there while work stands still because of, or after, such a call;
 * `failed` while the session is idle and its last run has failed;
 * `mcp` lists the servers that are configured, once their tools were needed.
 */
export interface Status {
  workspaceFolder: string;
  environmentIdentity: string;
  sessionId: string | null;
  state: 'none' | 'idle' | 'running' | 'waitingForApproval' | 'suspended' | 'blocked' | 'unavailable';
  operation: OperationInfo | null;
  plan: { [key: string]: Json } | null;
  blocked: BlockedInfo | null;
  approval: ApprovalInfo | null;
  usage: UsageInfo;
  model: ModelInfo;
  queue: QueuedInfo[];
  interruptedFile?: InterruptedFile;
  failed?: FailedInfo;
  mcp?: McpServerInfo[];
}

/**
 * `perdure/transcriptChanged`: the text is another one now; ask again to see it.
 */
export interface TranscriptChangedParams {
  uri: string;
}

/**
 * `perdure/transcript`, for clients without `workspace/textDocumentContent`.
 */
export interface TranscriptParams {
  uri: string;
}

/**
 * The session as Markdown; from now on `perdure/transcriptChanged` tells of changes.
 */
export interface TranscriptResult {
  text: string;
}

/**
 * `perdure.undo`: of the last run unless one is named; asks unless `confirmed` is true.
 */
export interface UndoArguments {
  workspaceFolder?: string;
  sessionId?: string;
  operationId?: string;
  confirmed?: boolean;
}

/**
 * `kept`: the user said no. `commands` are those of the run, which stay as they are.
 */
export interface UndoResult {
  outcome: 'undone' | 'kept' | 'nothing';
  operationId?: string;
  files: UndoneFile[];
  commands: CommandRun[];
}

/**
 * What became of a file that the run changed; `message` says why it `failed`.
 *
 * A file that the run created is `removed`; one that something else has changed is left alone.
 */
export interface UndoneFile {
  path: string;
  outcome: 'restored' | 'removed' | 'changedSince' | 'alreadyReverted' | 'failed';
  message?: string;
}

/**
 * Token sums; `contextTokens` is the size of the last request, None when unknown.
 *
 * `cost` is what all of them cost at the prices of the present model, in US dollars unless
 * the setting `model.prices` is in another unit; None when no price is known.
 */
export interface UsageInfo {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  contextTokens: number | null;
  contextWindow: number | null;
  cost: number | null;
}

/**
 * `perdure.wait`; `timeoutSeconds` defaults to 600.
 */
export interface WaitArguments {
  workspaceFolder?: string;
  sessionId?: string;
  timeoutSeconds?: number;
}

/** What `workspace/executeCommand` takes and gives, by command. */
export interface Commands {
  'perdure.prompt': [PromptArguments, PromptResult];
  'perdure.abort': [AbortArguments, AbortResult];
  'perdure.resume': [SessionArguments, ResumeResult];
  'perdure.resumeRecorded': [SessionArguments, ResumeResult];
  'perdure.relocate': [SessionArguments, Status];
  'perdure.compact': [SessionArguments, CompactResult];
  'perdure.continue': [SessionArguments, PromptResult];
  'perdure.compactAndContinue': [SessionArguments, CompactResult];
  'perdure.approve': [ApproveArguments, Status];
  'perdure.status': [FolderArguments, Status];
  'perdure.wait': [WaitArguments, Status];
  'perdure.models': [FolderArguments, ModelsResult];
  'perdure.queue': [SessionArguments, QueueResult];
  'perdure.queueEdit': [QueueEditArguments, QueueResult];
  'perdure.queueRemove': [QueueRemoveArguments, QueueResult];
  'perdure.sessions': [FolderArguments, SessionsResult];
  'perdure.openSession': [OpenSessionArguments, Status];
  'perdure.newSession': [FolderArguments, Status];
  'perdure.takeOver': [FolderArguments, Status];
  'perdure.complete': [CompleteArguments, CompleteResult];
  'perdure.renameSession': [RenameSessionArguments, RenameSessionResult];
  'perdure.searchSessions': [SearchSessionsArguments, SearchSessionsResult];
  'perdure.deleteSession': [DeleteSessionArguments, DeleteSessionResult];
  'perdure.exportSession': [SessionArguments, ExportSessionResult];
  'perdure.forkSession': [ForkSessionArguments, Status];
  'perdure.changes': [ChangesArguments, ChangesResult];
  'perdure.undo': [UndoArguments, UndoResult];
  'perdure.showLog': [SessionArguments, ShowLogResult];
  'perdure.showChanged': [FolderArguments, ShowLogResult];
}

/** What the server sends: parameters and result, which is void for a notification. */
export interface ServerMethods {
  'perdure/status': [Status, void];
  'perdure/delta': [DeltaParams, void];
  'perdure/committed': [CommittedParams, void];
  'perdure/transcriptChanged': [TranscriptChangedParams, void];
  'perdure/approve': [ApproveParams, ApproveResult | null];
  'perdure/diagnostics': [DiagnosticsParams, DiagnosticsResult];
}

/** What the client sends: parameters and result, which is void for a notification. */
export interface ClientMethods {
  'perdure/transcript': [TranscriptParams, TranscriptResult];
}
