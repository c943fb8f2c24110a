import * as vscode from 'vscode';

import type { Approval, PendingApprovals } from './pending';
import { commandDocument, isCommand, isFile, titleOf } from './text';

export const APPROVAL_SCHEME = 'perdure-approval';

/** Documents of what waits for approval: both sides of a change, or a command in full. */
export class ApprovalDocuments implements vscode.TextDocumentContentProvider {
  constructor(private readonly pending: PendingApprovals) {}

  provideTextDocumentContent(uri: vscode.Uri): string {
    const approval = this.approvalOf(uri);
    const preview = approval?.request.preview;
    if (approval !== undefined && isCommand(preview)) {
      return commandDocument(approval.request, preview);
    }
    if (isFile(preview)) {
      return uri.path.split('/')[2] === 'before' ? preview.before : preview.after;
    }
    return `${vscode.l10n.t('This does not wait for approval any more.')}\n`;
  }

  approvalOf(uri: vscode.Uri): Approval | undefined {
    return uri.scheme === APPROVAL_SCHEME
      ? this.pending.byKey(uri.path.split('/')[1] ?? '')
      : undefined;
  }

  /**
   * Show it: a change as a diff, all hunks of it. It stands beside the transcript, but never in
   * front of the file in which the user works.
   */
  async show(approval: Approval, preserveFocus: boolean): Promise<void> {
    const { preview } = approval.request;
    const { One, Two } = vscode.ViewColumn;
    const busy = preserveFocus && vscode.window.activeTextEditor?.viewColumn === One;
    const options = { viewColumn: busy ? Two : One, preserveFocus, preview: true };
    if (isFile(preview)) {
      const name = vscode.Uri.parse(preview.uri).path.split('/').at(-1) ?? 'file';
      const before = uriOf(approval, `before/${name}`);
      const after = uriOf(approval, `after/${name}`);
      await vscode.commands.executeCommand(
        'vscode.diff',
        before,
        after,
        titleOf(approval),
        options,
      );
    } else if (isCommand(preview)) {
      const uri = uriOf(approval, 'command.sh');
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), options);
    }
  }

  /** Close the tabs of what is decided. */
  async closeSettled(): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const settled = tabs.filter((tab) => {
      const uri = shownIn(tab);
      return uri?.scheme === APPROVAL_SCHEME && this.approvalOf(uri) === undefined;
    });
    if (settled.length > 0) {
      await vscode.window.tabGroups.close(settled, true);
    }
  }
}

function uriOf(approval: Approval, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: APPROVAL_SCHEME, path: `/${approval.key}/${path}` });
}

function shownIn(tab: vscode.Tab): vscode.Uri | undefined {
  if (tab.input instanceof vscode.TabInputTextDiff) {
    return tab.input.modified;
  }
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}
