import * as vscode from 'vscode';

import type { Folders } from '../folders';
import type { ServicePhase } from '../server/service';
import { legalInWindow } from './legal';
import { statusText } from './text';

/** The status bar item and the context keys, which follow the current folder. */
export class StatusBar {
  private readonly item = vscode.window.createStatusBarItem(
    'perdure.status',
    vscode.StatusBarAlignment.Left,
    10,
  );
  private readonly keys = new Map<string, unknown>();

  constructor(
    private readonly folders: Folders,
    private readonly phase: () => ServicePhase,
  ) {
    this.item.name = 'Perdure';
    this.item.command = 'perdure.editor.showActions';
  }

  /** Show how it stands. */
  update(): void {
    const phase = this.phase();
    const { folders } = this;
    const status = phase === 'running' ? folders.status() : undefined;
    const elsewhere = phase === 'running' ? folders.elsewhere() : [];
    const { text, tooltip, attention } = statusText(phase, status, {
      trusted: vscode.workspace.isTrusted,
      name: folders.nameOf(folders.current()),
      elsewhere,
    });
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = attention
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.show();
    this.setKeys({
      server: phase,
      serverRunning: phase === 'running',
      state: status?.state,
      ...legalInWindow(status, elsewhere),
    });
  }

  dispose(): void {
    this.item.dispose();
  }

  private setKeys(values: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(values)) {
      if (this.keys.get(key) !== value || !this.keys.has(key)) {
        this.keys.set(key, value);
        void vscode.commands.executeCommand('setContext', `perdure.${key}`, value);
      }
    }
  }
}
