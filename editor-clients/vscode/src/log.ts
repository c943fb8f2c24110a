import * as vscode from 'vscode';

/** The output channel: the server's standard error, and what the extension does. */
export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Perdure', { log: true });
}
