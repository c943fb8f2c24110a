import * as vscode from 'vscode';

import { showTranscript } from './documents';
import { sessionOf } from './uri';

const KEY = 'perdure.openTranscripts';

/** Brings transcripts back after a reload: the editor restores only documents that are files. */
export class Reopening {
  constructor(private readonly memory: vscode.Memento) {}

  /** Remember from now on which transcripts are open. */
  register(): vscode.Disposable {
    return vscode.window.tabGroups.onDidChangeTabs(
      () => void this.memory.update(KEY, [...new Set(shownSessions())]),
    );
  }

  /** Show what was open when the window was closed. */
  async reopen(): Promise<void> {
    const open = new Set(shownSessions());
    const before = this.memory.get<string[]>(KEY, []);
    for (const session of before.filter((id) => !open.has(id))) {
      await showTranscript(session, 'source', true);
    }
  }
}

function shownSessions(): string[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .map(({ input }) => (input instanceof vscode.TabInputText ? sessionOf(input.uri) : undefined))
    .filter((session) => session !== undefined);
}
