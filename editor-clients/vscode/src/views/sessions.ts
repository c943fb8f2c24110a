import * as vscode from 'vscode';

import type { Folders } from '../folders';
import type { SessionInfo } from '../protocol';
import type { Agent } from '../server/agent';
import { stateWords } from '../status/text';
import type { Statuses } from '../statuses';
import { sessionDescription, sessionIcon } from './sessionText';

/** A folder, where several are open; its commands get it as their argument. */
export interface FolderNode {
  readonly workspaceFolder: string;
  readonly folder: vscode.WorkspaceFolder;
}

/** A session of a folder; the commands of the tree get it as their argument. */
export interface SessionNode {
  readonly workspaceFolder: string;
  readonly session: SessionInfo;
}

type Node = FolderNode | SessionNode;

/** The sessions of all folders, newest first. */
export class SessionsTree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly agent: Agent,
    private readonly folders: Folders,
    private readonly statuses: Statuses,
    private readonly isRunning: () => boolean,
  ) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!this.isRunning()) {
      return [];
    }
    if (node === undefined) {
      const nodes = this.folders
        .open()
        .map((folder) => ({ workspaceFolder: folder.uri.toString(), folder }));
      const [first, ...others] = nodes;
      return first !== undefined && others.length === 0 ? this.sessions(first) : nodes;
    }
    return 'folder' in node ? this.sessions(node) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return 'folder' in node ? this.folderItem(node) : this.sessionItem(node);
  }

  private async sessions({ workspaceFolder }: FolderNode): Promise<SessionNode[]> {
    const { sessions } = await this.agent.execute('perdure.sessions', { workspaceFolder });
    return sessions.map((session) => ({ workspaceFolder, session }));
  }

  private sessionItem(node: SessionNode): vscode.TreeItem {
    const { session } = node;
    const current = this.statuses.ofSession(session.sessionId);
    const state = current?.state ?? session.state;
    const item = new vscode.TreeItem(
      session.title === '' ? vscode.l10n.t('Untitled') : session.title,
    );
    item.id = session.sessionId;
    item.description = sessionDescription(session, Date.now());
    item.tooltip = `${stateWords(state)}\n${session.path}`;
    item.iconPath = new vscode.ThemeIcon(
      sessionIcon(state),
      current ? new vscode.ThemeColor('charts.blue') : undefined,
    );
    item.contextValue = current ? 'session.current' : 'session';
    item.command = {
      command: 'perdure.editor.showTreeTranscript',
      title: vscode.l10n.t('Show Transcript'),
      arguments: [node],
    };
    return item;
  }

  private folderItem({ workspaceFolder, folder }: FolderNode): vscode.TreeItem {
    const item = new vscode.TreeItem(folder.name, vscode.TreeItemCollapsibleState.Expanded);
    const state = this.statuses.of(workspaceFolder)?.state;
    item.id = workspaceFolder;
    item.description = state === undefined || state === 'none' ? '' : stateWords(state);
    item.tooltip = folder.uri.fsPath;
    item.iconPath = vscode.ThemeIcon.Folder;
    item.contextValue = 'folder';
    return item;
  }
}
