import * as vscode from 'vscode';

import type { Handler } from '../commands/register';
import type { Folders } from '../folders';
import { literal } from '../literal';
import { sender, tell, tellFailure } from '../notifications';
import type { ApproveArguments, ApproveParams, ApproveResult } from '../protocol';
import type { ApprovalDocuments } from './documents';
import type { Approval, Decision, PendingApprovals } from './pending';
import { needsDocument, question, titleOf } from './text';

type Act = (approval: Approval | undefined) => Promise<void>;

/** What a command can be given besides the URI of a document: an item of the tree, or a folder. */
interface Given {
  readonly key?: string;
  readonly workspaceFolder?: string;
}

/**
 * Puts approvals before the user: a notification, and beside it the diff or the command. `approve`
 * tells the server of a decision whose request has been answered with "not decided".
 */
export class ApprovalDesk {
  constructor(
    private readonly pending: PendingApprovals,
    private readonly documents: ApprovalDocuments,
    private readonly log: vscode.LogOutputChannel,
    private readonly folders: Folders,
    private readonly approve: (argument: ApproveArguments) => Promise<unknown>,
  ) {}

  /** Ask the user; null when the server stopped waiting first. */
  ask(request: ApproveParams): Promise<ApproveResult | null> {
    return this.pending.ask(request, this.folders.placeOf(request.sessionId), (approval) => {
      this.notify(approval);
      if (needsDocument(request)) {
        this.documents.show(approval, true).then(undefined, (error: unknown) => {
          this.log.error(`An approval could not be shown: ${String(error)}`);
        });
      }
    });
  }

  /** Show what a folder waits for again, over which something else may have been opened. */
  async bringForward(folder: string): Promise<void> {
    const [approval] = this.pending.of(folder);
    if (approval !== undefined && needsDocument(approval.request)) {
      await this.documents.show(approval, true);
    }
  }

  /** The commands that decide; each takes the approval from where it was given. */
  commands(): Record<string, Handler> {
    const deciding = (decision: Decision) => (given: unknown) =>
      this.meaning(given, (approval) => this.decide(approval, decision));
    return {
      allow: deciding('allow'),
      allowForSession: deciding('allowForSession'),
      allowForWorkspace: deciding('allowForWorkspace'),
      deny: deciding('deny'),
      denyWithReason: (given) =>
        this.meaning(given, async (approval) => {
          const reason = await vscode.window.showInputBox({
            title: approval === undefined ? vscode.l10n.t('Deny') : titleOf(approval),
            prompt: vscode.l10n.t('Why not? The model reads it.'),
          });
          if (reason !== undefined) {
            await this.decide(approval, 'deny', reason);
          }
        }),
      review: (given) =>
        this.meaning(given, async (approval) => {
          if (approval === undefined) {
            tell('information', vscode.l10n.t('Nothing waits for approval.'));
            return;
          }
          await this.documents.show(approval, false);
          this.notify(approval);
        }),
    };
  }

  /**
   * Act on the approval of a tree item or document, else on that of the folder that is given, or of
   * the current one. Where several could be meant the user chooses.
   */
  private async meaning(given: unknown, act: Act): Promise<void> {
    const { key, workspaceFolder } = (given ?? {}) as Given;
    if (given instanceof vscode.Uri) {
      await actOn(this.documents.approvalOf(given), act);
    } else if (key !== undefined) {
      await actOn(this.pending.byKey(key), act);
    } else {
      const here = this.pending.of(workspaceFolder ?? this.folders.current());
      await actOnOne(here.length > 0 ? here : this.pending.all(), act);
    }
  }

  /** Answer the request; where that is over, tell the server by command, which says if it is late. */
  private async decide(
    approval: Approval | undefined,
    decision: Decision,
    message?: string,
  ): Promise<void> {
    if (approval !== undefined && this.pending.decide(approval, decision, message)) {
      return;
    }
    const status = this.folders.status();
    const approvalId = approval?.request.approvalId ?? status?.approval?.approvalId;
    const workspaceFolder = approval?.place?.uri ?? status?.workspaceFolder;
    if (approvalId === undefined || workspaceFolder === undefined) {
      tell('information', vscode.l10n.t('Nothing waits for approval.'));
      return;
    }
    const given = { workspaceFolder, approvalId, decision };
    await this.approve(message === undefined ? given : { ...given, message });
  }

  /** A notification that is closed decides nothing; one that is answered too late says so. */
  private notify(approval: Approval): void {
    const message = literal(`${sender(approval.place?.name)}: ${question(approval.request)}`);
    void vscode.window.showWarningMessage(message, ...decisions()).then((chosen) => {
      if (chosen !== undefined) {
        this.decide(approval, chosen.decision).catch(tellFailure);
      }
    });
  }
}

async function actOn(shown: Approval | undefined, act: Act): Promise<void> {
  if (shown === undefined) {
    tell('information', vscode.l10n.t('This does not wait for approval any more.'));
  } else {
    await act(shown);
  }
}

async function actOnOne(approvals: readonly Approval[], act: Act): Promise<void> {
  if (approvals.length < 2) {
    await act(approvals[0]);
    return;
  }
  const items = approvals.map((approval) => ({
    label: approval.request.title,
    description: approval.place?.name ?? '',
    approval,
  }));
  const placeHolder = vscode.l10n.t('Which one?');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder });
  if (chosen !== undefined) {
    await act(chosen.approval);
  }
}

/** The buttons of a question. */
function decisions(): (vscode.MessageItem & { readonly decision: Decision })[] {
  return [
    { title: vscode.l10n.t('Allow'), decision: 'allow' },
    { title: vscode.l10n.t('Allow for Session'), decision: 'allowForSession' },
    { title: vscode.l10n.t('Always'), decision: 'allowForWorkspace' },
    { title: vscode.l10n.t('Deny'), decision: 'deny' },
  ];
}
