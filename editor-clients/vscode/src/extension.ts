import type * as vscode from 'vscode';

import { App } from './app';

let app: App | undefined;

export function activate(context: vscode.ExtensionContext): void {
  app = new App(context);
  context.subscriptions.push(...app.start());
}

export async function deactivate(): Promise<void> {
  await app?.stop();
}
