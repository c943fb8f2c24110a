import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { sender } from '../notifications';
import type { ServicePhase } from '../server/service';
import { nextActions } from '../status/actions';

/** Let the user choose among the legal next actions of a folder, else of the current one. */
export async function showActions(
  phase: ServicePhase,
  folders: Folders,
  folder: string | undefined,
): Promise<void> {
  const actions = nextActions(phase, folders.status(folder), folders.elsewhere(folder));
  const chosen = await vscode.window.showQuickPick(actions, {
    title: sender(folders.nameOf(folder ?? folders.current())),
    placeHolder: vscode.l10n.t('What next?'),
  });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command, ...(chosen.arguments ?? []));
  }
}
