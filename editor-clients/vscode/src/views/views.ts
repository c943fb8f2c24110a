import * as vscode from 'vscode';

import type { PendingApprovals } from '../approvals/pending';
import type { Folders } from '../folders';
import type { Agent } from '../server/agent';
import type { StatusChange, Statuses } from '../statuses';
import { ApprovalsTree } from './approvals';
import { ChangesTree } from './changes';
import { SessionsTree } from './sessions';

const REST_MS = 300;

/** The trees of the view container, and when each is drawn again. */
export class Views {
  readonly approvals: ApprovalsTree;
  readonly changes: ChangesTree;
  private readonly sessions: SessionsTree;
  private readonly resting = new Map<{ refresh(): void }, NodeJS.Timeout>();
  private folder: string | undefined;

  constructor(
    agent: Agent,
    private readonly folders: Folders,
    statuses: Statuses,
    pending: PendingApprovals,
    isRunning: () => boolean,
  ) {
    this.approvals = new ApprovalsTree(pending);
    this.changes = new ChangesTree(agent, folders, isRunning);
    this.sessions = new SessionsTree(agent, folders, statuses, isRunning);
  }

  register(): vscode.Disposable[] {
    const { window } = vscode;
    const changes = window.createTreeView('perdure.changes', { treeDataProvider: this.changes });
    this.changes.onDidChangeTreeData(() => {
      changes.description = this.folders.nameOf(this.folders.current()) ?? '';
    });
    return [
      changes,
      window.registerTreeDataProvider('perdure.approvals', this.approvals),
      window.registerTreeDataProvider('perdure.sessions', this.sessions),
    ];
  }

  refresh(): void {
    this.soon(this.sessions);
    this.soon(this.changes);
  }

  /** Facts came: a call may have changed a file. */
  committed(): void {
    this.soon(this.changes);
  }

  statusChanged({ now, before }: StatusChange): void {
    if (now.state !== before?.state || now.sessionId !== before.sessionId) {
      this.refresh();
    }
  }

  /** The changes are those of the folder that the user looks at. */
  folderChanged(): void {
    const folder = this.folders.current();
    if (folder !== this.folder) {
      this.folder = folder;
      this.soon(this.changes);
    }
  }

  /** Several reasons that come together draw once. */
  private soon(tree: { refresh(): void }): void {
    if (!this.resting.has(tree)) {
      const timer = setTimeout(() => {
        this.resting.delete(tree);
        tree.refresh();
      }, REST_MS);
      this.resting.set(tree, timer);
    }
  }
}
