import * as vscode from 'vscode';

import type { Status } from '../protocol';
import type { ServicePhase } from '../server/service';
import { nextActions } from '../status/actions';

/** Let the user choose among the legal next actions. */
export async function showActions(phase: ServicePhase, status: Status | undefined): Promise<void> {
  const chosen = await vscode.window.showQuickPick(nextActions(phase, status), {
    title: 'Perdure',
    placeHolder: 'What next?',
  });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
  }
}
