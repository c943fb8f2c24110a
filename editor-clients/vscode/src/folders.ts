import * as vscode from 'vscode';

import type { Status } from './protocol';
import type { Statuses } from './statuses';
import { sessionOf } from './transcript/uri';

/** Which workspace folder commands and the status bar mean. */
export class Folders {
  private last: string | undefined;

  constructor(private readonly statuses: Statuses) {}

  /** The folder of what the user looks at, else the one looked at last, else the first. */
  current(): string | undefined {
    const active = this.ofDocument(vscode.window.activeTextEditor?.document.uri);
    const all = this.all();
    if (active !== undefined) {
      this.last = active;
    }
    return this.last !== undefined && all.includes(this.last) ? this.last : all[0];
  }

  status(): Status | undefined {
    const folder = this.current();
    return folder === undefined ? undefined : this.statuses.of(folder);
  }

  /** Let the user choose where several folders are open; undefined when there is none. */
  async choose(): Promise<string | undefined> {
    if (this.all().length < 2 || vscode.window.activeTextEditor !== undefined) {
      return this.current();
    }
    const chosen = await vscode.window.showWorkspaceFolderPick({
      placeHolder: 'The folder to work in',
    });
    this.last = chosen?.uri.toString() ?? this.last;
    return chosen?.uri.toString();
  }

  private ofDocument(uri: vscode.Uri | undefined): string | undefined {
    if (uri === undefined) {
      return undefined;
    }
    const session = sessionOf(uri);
    return session === undefined
      ? vscode.workspace.getWorkspaceFolder(uri)?.uri.toString()
      : this.statuses.ofSession(session)?.workspaceFolder;
  }

  private all(): string[] {
    return (vscode.workspace.workspaceFolders ?? [])
      .filter((folder) => folder.uri.scheme === 'file')
      .map((folder) => folder.uri.toString());
  }
}
