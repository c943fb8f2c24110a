import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

import { ApprovalDesk } from './approvals/desk';
import { APPROVAL_SCHEME, ApprovalDocuments } from './approvals/documents';
import { PendingApprovals } from './approvals/pending';
import { promptCommand } from './commands/prompt';
import { registerCommands } from './commands/register';
import { serverCommands } from './commands/server';
import { sessionCommands } from './commands/session';
import { Folders } from './folders';
import { createLog } from './log';
import { tellCrash, tellFailure, tellStandstill } from './notifications';
import { ManagedEnvironment } from './python/environment';
import { Locator } from './python/locate';
import { ApiKeys } from './secrets';
import { Agent } from './server/agent';
import { type Connection } from './server/connection';
import { Launcher } from './server/launcher';
import { RestartPolicy } from './server/restartPolicy';
import { Supervisor } from './server/supervisor';
import { RESTART_KEYS } from './settings';
import { nextActions } from './status/actions';
import { StatusBar } from './status/bar';
import { Statuses } from './statuses';
import { TranscriptDocuments } from './transcript/documents';
import { TRANSCRIPT_SCHEME } from './transcript/uri';

let supervisor: Supervisor<Connection> | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = createLog();
  const statuses = new Statuses();
  const folders = new Folders(statuses);
  const pending = new PendingApprovals();
  const approvals = new ApprovalDocuments(pending);
  const desk = new ApprovalDesk(pending, approvals, log);
  const keys = new ApiKeys(context.secrets, () =>
    vscode.workspace.getConfiguration('perdure').get('model.apiKeyEnv', ''),
  );
  const environment = new ManagedEnvironment(
    context.globalStorageUri.fsPath,
    join(context.extensionPath, 'bundled'),
    (context.extension.packageJSON as { version: string }).version,
  );
  const locator = new Locator(environment, log);
  const transcripts = new TranscriptDocuments(async (uri) => {
    const server = await alive.running();
    return (await server.transcript(uri)).text;
  });
  const launcher = new Launcher({
    log,
    locator,
    keys,
    commandFailed: tellFailure,
    handlers: {
      'perdure/status': (status) => {
        statuses.update(status);
      },
      'perdure/delta': (params) => {
        transcripts.delta(params);
      },
      'perdure/committed': (params) => {
        transcripts.committed(params);
      },
      'perdure/transcriptChanged': ({ uri }) => {
        transcripts.transcriptChanged(vscode.Uri.parse(uri));
      },
      'perdure/approve': (request) => desk.ask(request),
    },
  });
  const alive = new Supervisor<Connection>(
    {
      launch: () => launcher.launch(),
      changed: (phase) => {
        if (phase === 'running') {
          transcripts.reconnected();
        } else {
          statuses.clear();
          pending.clear();
        }
        bar.update();
      },
      crashed: tellCrash,
      failed: tellFailure,
      sleep,
    },
    new RestartPolicy(Date.now),
  );
  supervisor = alive;
  const bar = new StatusBar(folders, () => alive.phase);
  const agent = new Agent(alive, folders);

  statuses.onChange((change) => {
    transcripts.statusChanged(change.now);
    pending.settle(change.now);
    tellStandstill(change);
    bar.update();
  });
  pending.onChange(() => void approvals.closeSettled());

  context.subscriptions.push(
    log,
    bar,
    vscode.workspace.registerTextDocumentContentProvider(TRANSCRIPT_SCHEME, transcripts),
    vscode.workspace.registerTextDocumentContentProvider(APPROVAL_SCHEME, approvals),
    vscode.workspace.onDidCloseTextDocument((document) => {
      transcripts.closed(document.uri);
    }),
    vscode.window.onDidChangeActiveTextEditor(() => {
      bar.update();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      bar.update();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void alive.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (RESTART_KEYS.some((key) => event.affectsConfiguration(`perdure.${key}`))) {
        void alive.restart();
      }
    }),
    ...registerCommands({
      ...sessionCommands(agent, folders),
      ...serverCommands({
        supervisor: alive,
        locator,
        keys,
        log,
        isWorking: () => statuses.all().some((status) => status.operation !== null),
      }),
      ...desk.commands(),
      prompt: promptCommand(agent, folders),
      showActions: async () => {
        const actions = nextActions(alive.phase, folders.status());
        const chosen = await vscode.window.showQuickPick(actions, {
          placeHolder: 'What next?',
        });
        if (chosen !== undefined) {
          await vscode.commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
        }
      },
    }),
  );
  bar.update();
  void alive.start();
}

export async function deactivate(): Promise<void> {
  await supervisor?.stop();
}
