import * as vscode from 'vscode';

import type { Approval, PendingApprovals } from '../approvals/pending';
import { isFile, question } from '../approvals/text';

/** What waits for the user, with the decisions as buttons. */
export class ApprovalsTree implements vscode.TreeDataProvider<Approval> {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly pending: PendingApprovals) {}

  refresh(): void {
    this.changed.fire(undefined);
  }

  getChildren(approval?: Approval): Approval[] {
    return approval === undefined ? this.pending.all() : [];
  }

  getTreeItem(approval: Approval): vscode.TreeItem {
    const { request, place } = approval;
    const item = new vscode.TreeItem(request.title);
    item.id = approval.key;
    item.description = place?.name ?? '';
    item.tooltip = question(request);
    item.iconPath = new vscode.ThemeIcon(isFile(request.preview) ? 'diff' : 'terminal');
    item.command = {
      command: 'perdure.editor.review',
      title: vscode.l10n.t('Review'),
      arguments: [approval],
    };
    return item;
  }
}
