import * as vscode from 'vscode';

import { tellFailure } from '../notifications';

export type Handler = (...given: unknown[]) => unknown;

/**
 * Register commands as `perdure.editor.<name>`; no error of theirs escapes, since the editor would
 * show it in a dialog that has to be closed.
 */
export function registerCommands(handlers: Record<string, Handler>): vscode.Disposable[] {
  return Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(`perdure.editor.${name}`, async (...given: unknown[]) => {
      try {
        await handler(...given);
      } catch (error) {
        tellFailure(error);
      }
    }),
  );
}
