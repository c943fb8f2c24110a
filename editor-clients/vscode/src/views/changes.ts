import * as vscode from 'vscode';

import type { Folders } from '../folders';
import type { ChangesResult, CommandRun, FileChange } from '../protocol';
import type { Agent } from '../server/agent';
import { howItStands, ofRun } from './lastRun';

export interface ChangeNode {
  readonly workspaceFolder: string;
  readonly change: FileChange;
}

export interface CommandNode {
  readonly run: CommandRun;
}

type Node = ChangeNode | CommandNode;

/** What the present run has changed, else what the last one did. */
export class ChangesTree implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly agent: Agent,
    private readonly folders: Folders,
    private readonly isRunning: () => boolean,
  ) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    const workspaceFolder = this.folders.current();
    if (node !== undefined || workspaceFolder === undefined || !this.isRunning()) {
      return [];
    }
    const { changes, commands } = await this.ofRun(workspaceFolder);
    return [
      ...changes.map((change) => ({ workspaceFolder, change })),
      ...commands.map((run) => ({ run })),
    ];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return 'run' in node ? commandItem(node) : changeItem(node);
  }

  /** The changes of the run. They are none where there is no session. */
  async ofRun(workspaceFolder: string): Promise<ChangesResult> {
    const status = this.folders.status(workspaceFolder);
    if (status === undefined || status.sessionId === null) {
      return { changes: [], commands: [] };
    }
    const result = await this.agent.execute('perdure.changes', { workspaceFolder });
    const { operation } = status;
    return ofRun(result, operation?.kind === 'run' ? operation.operationId : undefined);
  }
}

function changeItem(node: ChangeNode): vscode.TreeItem {
  const { change, workspaceFolder } = node;
  const item = new vscode.TreeItem(fileOf(workspaceFolder, change));
  item.description = howItStands(change);
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = 'change';
  item.command = {
    command: 'perdure.editor.showChange',
    title: vscode.l10n.t('Show Diff'),
    arguments: [node],
  };
  return item;
}

function commandItem({ run }: CommandNode): vscode.TreeItem {
  const item = new vscode.TreeItem(run.command.replace(/\s*\n\s*/g, ' '));
  item.description = vscode.l10n.t('command, cannot be undone');
  item.tooltip = run.command;
  item.iconPath = new vscode.ThemeIcon('terminal');
  item.contextValue = 'command';
  return item;
}

/** The file of a change; its path is relative to the folder. */
export function fileOf(workspaceFolder: string, change: FileChange): vscode.Uri {
  return vscode.Uri.joinPath(vscode.Uri.parse(workspaceFolder), change.path);
}
