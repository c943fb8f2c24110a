import { join } from 'node:path';
import * as vscode from 'vscode';

import { ApprovalDesk } from './approvals/desk';
import { APPROVAL_SCHEME, ApprovalDocuments } from './approvals/documents';
import { PendingApprovals } from './approvals/pending';
import { changeCommands } from './commands/changes';
import { folderOf } from './commands/given';
import { chooseModel } from './commands/model';
import { promptCommands } from './commands/prompt';
import { registerCommands } from './commands/register';
import { serverCommands } from './commands/server';
import { sessionCommands } from './commands/session';
import { showActions } from './commands/showActions';
import { treeCommands } from './commands/tree';
import { editorDiagnostics } from './editorDiagnostics';
import { Folders } from './folders';
import { createLog } from './log';
import { tellFailed, tellFailure, tellStandstill } from './notifications';
import { ManagedEnvironment } from './python/environment';
import { Locator } from './python/locate';
import { PythonInterpreters } from './python/pythonExtension';
import { ApiKeys } from './secrets';
import { Agent } from './server/agent';
import type { Connection, Handlers } from './server/connection';
import { Service, type ServicePhase } from './server/service';
import type { Supervisor } from './server/supervisor';
import { RESTART_KEYS } from './settings';
import { StatusBar } from './status/bar';
import { Statuses, type StatusChange } from './statuses';
import { TranscriptDocuments } from './transcript/documents';
import { Following } from './transcript/follow';
import { Reopening } from './transcript/reopen';
import { TRANSCRIPT_SCHEME } from './transcript/uri';
import { DIFF_SCHEME, DiffDocuments } from './views/diffDocuments';
import { Views } from './views/views';

/** Everything the extension is made of, wired together. */
export class App {
  private readonly log = createLog();
  private readonly statuses = new Statuses();
  private readonly pending = new PendingApprovals();
  private readonly approvals = new ApprovalDocuments(this.pending);
  private readonly folders = new Folders(
    this.statuses,
    (uri) => this.approvals.approvalOf(uri)?.place?.uri,
  );
  private readonly desk = new ApprovalDesk(
    this.pending,
    this.approvals,
    this.log,
    this.folders,
    (argument) => this.agent.execute('perdure.approve', argument),
  );
  private readonly diffs = new DiffDocuments();
  private readonly keys: ApiKeys;
  private readonly interpreters: PythonInterpreters;
  private readonly locator: Locator;
  private readonly service: Service;
  private readonly supervisor: Supervisor<Connection>;
  private readonly agent: Agent;
  private readonly transcripts: TranscriptDocuments;
  private readonly bar: StatusBar;
  private readonly views: Views;
  private readonly reopening: Reopening;

  constructor(context: vscode.ExtensionContext) {
    this.keys = new ApiKeys(context.secrets, () =>
      vscode.workspace.getConfiguration('perdure').get('model.apiKeyEnv', ''),
    );
    const { version } = context.extension.packageJSON as { version: string };
    const bundled = join(context.extensionPath, 'bundled');
    const storage = join(context.globalStorageUri.fsPath, 'server');
    this.reopening = new Reopening(context.workspaceState);
    this.interpreters = new PythonInterpreters(this.log, () => void this.service.lookAgain());
    const environment = new ManagedEnvironment(storage, bundled, version);
    this.locator = new Locator(environment, this.interpreters, this.log);
    this.service = this.makeService();
    this.supervisor = this.service.supervisor;
    this.agent = new Agent(() => this.service.demanded(), this.folders);
    this.transcripts = new TranscriptDocuments(async (uri) => {
      const server = await this.supervisor.running();
      return (await server.transcript(uri)).text;
    });
    this.bar = new StatusBar(this.folders, () => this.service.phase);
    this.views = new Views(
      this.agent,
      this.folders,
      this.statuses,
      this.pending,
      () => this.supervisor.phase === 'running',
    );
    this.statuses.onChange((change) => {
      this.statusChanged(change);
    });
    this.pending.onChange(() => {
      this.views.approvals.refresh();
      void this.approvals.closeSettled();
    });
  }

  /** Begin; what it returns is to be disposed of at the end. */
  start(): { dispose(): unknown }[] {
    const registered = [
      ...this.documents(),
      ...this.events(),
      this.reopening.register(),
      ...this.views.register(),
      ...registerCommands(this.commands()),
    ];
    this.bar.update();
    void this.supervisor.start();
    this.reopening.reopen().then(undefined, tellFailure);
    return [this.log, this.bar, this.interpreters, ...registered];
  }

  /** End the server in order. */
  stop(): Promise<void> {
    return this.supervisor.stop();
  }

  private makeService(): Service {
    return new Service({
      log: this.log,
      locator: this.locator,
      keys: this.keys,
      handlers: this.handlers(),
      statuses: () => this.statuses.all(),
      nameOf: (sessionId) => this.folders.placeOf(sessionId)?.name,
      changed: (phase) => {
        this.phaseChanged(phase);
      },
    });
  }

  private handlers(): Handlers {
    return {
      'perdure/status': (status) => {
        // A folder that was just closed still says that its work is suspended.
        if (this.folders.isOpen(status.workspaceFolder)) {
          this.statuses.update(status);
        }
      },
      'perdure/delta': (delta) => {
        this.transcripts.delta(delta);
      },
      'perdure/committed': (committed) => {
        this.transcripts.committed(committed);
        this.views.committed();
      },
      'perdure/transcriptChanged': ({ uri }) => {
        this.transcripts.transcriptChanged(vscode.Uri.parse(uri));
      },
      'perdure/approve': (request) => this.desk.ask(request),
      'perdure/diagnostics': editorDiagnostics,
    };
  }

  private phaseChanged(phase: ServicePhase): void {
    if (phase === 'running') {
      this.transcripts.reconnected();
    } else {
      this.statuses.clear();
      this.pending.clear();
    }
    this.bar.update();
    this.views.refresh();
  }

  private statusChanged(change: StatusChange): void {
    this.transcripts.statusChanged(change.now);
    this.pending.settle(change.now);
    this.views.statusChanged(change);
    this.bar.update();
    const place = this.folders.place(change.now.workspaceFolder);
    tellStandstill(change, place);
    tellFailed(change, place);
  }

  private documents(): vscode.Disposable[] {
    const register = vscode.workspace.registerTextDocumentContentProvider.bind(vscode.workspace);
    return [
      register(TRANSCRIPT_SCHEME, this.transcripts),
      register(APPROVAL_SCHEME, this.approvals),
      register(DIFF_SCHEME, this.diffs),
      new Following().register(),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => {
        this.transcripts.opened(uri);
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.transcripts.closed(uri);
        this.diffs.closed(uri);
      }),
    ];
  }

  private events(): vscode.Disposable[] {
    const { workspace, window } = vscode;
    const update = (): void => {
      this.bar.update();
      this.views.folderChanged();
    };
    this.folders.onChosen(update);
    return [
      window.onDidChangeActiveTextEditor(update),
      workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const { uri } of removed) {
          this.statuses.forget(uri.toString());
          this.pending.forget(uri.toString());
        }
        update();
        this.views.refresh();
      }),
      workspace.onDidGrantWorkspaceTrust(() => void this.supervisor.restart()),
      workspace.onDidChangeConfiguration((event) => {
        if (RESTART_KEYS.some((key) => event.affectsConfiguration(`perdure.${key}`))) {
          void this.supervisor.restart();
        }
      }),
    ];
  }

  private commands(): Parameters<typeof registerCommands>[0] {
    const { supervisor, locator, keys, log, agent, folders, views } = this;
    const isWorking = (): boolean =>
      this.statuses.all().some(({ operation }) => operation !== null);
    return {
      ...sessionCommands(agent, folders),
      ...treeCommands(agent, folders, () => {
        views.refresh();
      }),
      ...changeCommands(agent, folders, views.changes, this.diffs),
      ...serverCommands({ supervisor, locator, keys, log, isWorking }),
      ...this.desk.commands(),
      ...promptCommands(agent, folders, (folder) => this.desk.bringForward(folder)),
      chooseModel: () => chooseModel(agent),
      showActions: (given) => showActions(this.service.phase, folders, folderOf(given)),
    };
  }
}
