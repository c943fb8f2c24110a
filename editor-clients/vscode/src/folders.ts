import * as vscode from 'vscode';

import type { Status } from './protocol';
import type { Statuses } from './statuses';
import { sessionOf } from './transcript/uri';

/** A folder as the user is told of it. It has a name where several are open. */
export interface Place {
  readonly uri: string;
  readonly name: string | undefined;
}

/** Another folder than the current one, and how it stands. */
export interface Elsewhere {
  readonly uri: string;
  readonly name: string;
  readonly state: Status['state'];
}

/** Which workspace folder commands and the status bar mean. */
export class Folders {
  private last: string | undefined;
  private readonly listeners: (() => void)[] = [];

  /** `ofApproval` tells the folder of a document that shows what waits for approval. */
  constructor(
    private readonly statuses: Statuses,
    private readonly ofApproval: (uri: vscode.Uri) => string | undefined,
  ) {}

  /** Tell when the user has chosen another folder. */
  onChosen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The folders that the server can open. */
  open(): vscode.WorkspaceFolder[] {
    const all = vscode.workspace.workspaceFolders ?? [];
    return all.filter((folder) => folder.uri.scheme === 'file');
  }

  isOpen(folder: string): boolean {
    return this.open().some(({ uri }) => uri.toString() === folder);
  }

  /** The folder of what the user looks at, else the one looked at last, else the first. */
  current(): string | undefined {
    this.last = this.lookedAt() ?? this.last;
    return this.last !== undefined && this.isOpen(this.last)
      ? this.last
      : this.open()[0]?.uri.toString();
  }

  /** How a folder stands, the current one unless another is named. */
  status(folder = this.current()): Status | undefined {
    return folder === undefined ? undefined : this.statuses.of(folder);
  }

  /** How the folders other than one stand. */
  elsewhere(current = this.current()): Elsewhere[] {
    return this.open().flatMap((folder) => {
      const uri = folder.uri.toString();
      const state = this.statuses.of(uri)?.state;
      return uri === current || state === undefined ? [] : [{ uri, name: folder.name, state }];
    });
  }

  /** The name of a folder; undefined for the only one, which needs none. */
  nameOf(folder: string | undefined): string | undefined {
    const open = this.open();
    return open.length < 2 ? undefined : open.find(({ uri }) => uri.toString() === folder)?.name;
  }

  place(uri: string): Place {
    return { uri, name: this.nameOf(uri) };
  }

  /** The folder that works on a session. */
  placeOf(sessionId: string): Place | undefined {
    const status = this.statuses.ofSession(sessionId);
    return status && this.place(status.workspaceFolder);
  }

  /**
   * The folder of what the user looks at; where that is of none, let the user choose. Undefined when
   * no folder is open, and when none is chosen.
   */
  async choose(): Promise<string | undefined> {
    const lookedAt = this.lookedAt();
    if (this.open().length < 2 || lookedAt !== undefined) {
      return lookedAt ?? this.current();
    }
    const chosen = await vscode.window.showWorkspaceFolderPick({
      placeHolder: vscode.l10n.t('The folder to work in'),
    });
    if (chosen !== undefined) {
      this.last = chosen.uri.toString();
      for (const listener of this.listeners) {
        listener();
      }
    }
    return chosen?.uri.toString();
  }

  private lookedAt(): string | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined) {
      return undefined;
    }
    const session = sessionOf(uri);
    const folder =
      session === undefined
        ? (this.ofApproval(uri) ?? vscode.workspace.getWorkspaceFolder(uri)?.uri.toString())
        : this.statuses.ofSession(session)?.workspaceFolder;
    return folder !== undefined && this.isOpen(folder) ? folder : undefined;
  }
}
