import * as vscode from 'vscode';

import type { SessionInfo, Status } from '../protocol';
import type { Agent } from '../server/agent';
import { sessionDescription, sessionIcon } from './sessionText';

/** A folder, where several are open. */
export interface FolderNode {
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
    private readonly statusOf: (sessionId: string) => Status | undefined,
    private readonly isRunning: () => boolean,
  ) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (!this.isRunning()) {
      return [];
    }
    if (node === undefined) {
      const [first] = folders;
      return folders.length === 1 && first !== undefined
        ? this.sessions(first)
        : folders.map((folder) => ({ folder }));
    }
    return 'folder' in node ? this.sessions(node.folder) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return 'folder' in node ? folderItem(node) : this.sessionItem(node);
  }

  private async sessions(folder: vscode.WorkspaceFolder): Promise<SessionNode[]> {
    const workspaceFolder = folder.uri.toString();
    const { sessions } = await this.agent.execute('perdure.sessions', { workspaceFolder });
    return sessions.map((session) => ({ workspaceFolder, session }));
  }

  private sessionItem(node: SessionNode): vscode.TreeItem {
    const { session } = node;
    const current = this.statusOf(session.sessionId);
    const state = current?.state ?? session.state;
    const item = new vscode.TreeItem(session.title === '' ? 'Untitled' : session.title);
    item.id = session.sessionId;
    item.description = sessionDescription(session, Date.now());
    item.tooltip = `${state}\n${session.path}`;
    item.iconPath = new vscode.ThemeIcon(
      sessionIcon(state),
      current ? new vscode.ThemeColor('charts.blue') : undefined,
    );
    item.contextValue = current ? 'session.current' : 'session';
    item.command = {
      command: 'perdure.editor.showTreeTranscript',
      title: 'Show Transcript',
      arguments: [node],
    };
    return item;
  }
}

function folderItem({ folder }: FolderNode): vscode.TreeItem {
  const item = new vscode.TreeItem(folder.name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = folder.uri.toString();
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}
