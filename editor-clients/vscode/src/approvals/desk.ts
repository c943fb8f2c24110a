import * as vscode from 'vscode';

import type { Handler } from '../commands/register';
import { literal } from '../literal';
import { tell, tellFailure } from '../notifications';
import type { ApproveArguments, ApproveParams, ApproveResult } from '../protocol';
import type { ApprovalDocuments } from './documents';
import type { Approval, Decision, PendingApprovals } from './pending';
import { needsDocument, question } from './text';

const BUTTONS: Record<string, Decision> = {
  Allow: 'allow',
  'Allow for Session': 'allowForSession',
  Always: 'allowForWorkspace',
  Deny: 'deny',
};

/** How the server is told of a decision whose request has been answered with "not decided". */
export interface Later {
  /** The approval that the current folder waits for, by its id. */
  readonly current: () => string | undefined;
  readonly approve: (argument: ApproveArguments) => Promise<unknown>;
}

/** Puts approvals before the user: a notification, and beside it the diff or the command. */
export class ApprovalDesk {
  constructor(
    private readonly pending: PendingApprovals,
    private readonly documents: ApprovalDocuments,
    private readonly log: vscode.LogOutputChannel,
    private readonly later: Later,
  ) {}

  /** Ask the user; null when the server stopped waiting first. */
  ask(request: ApproveParams): Promise<ApproveResult | null> {
    return this.pending.ask(request, (approval) => {
      this.notify(approval);
      if (needsDocument(request)) {
        this.documents.show(approval, true).then(undefined, (error: unknown) => {
          this.log.error(`An approval could not be shown: ${String(error)}`);
        });
      }
    });
  }

  /** Show the oldest approval again, over which something else may have been opened. */
  async bringForward(): Promise<void> {
    const [approval] = this.pending.all();
    if (approval !== undefined && needsDocument(approval.request)) {
      await this.documents.show(approval, true);
    }
  }

  /** The commands that decide; each takes the approval from where it was given. */
  commands(): Record<string, Handler> {
    const deciding = (decision: Decision) => (given: unknown) =>
      this.decide(this.meant(given), decision);
    return {
      allow: deciding('allow'),
      allowForSession: deciding('allowForSession'),
      allowForWorkspace: deciding('allowForWorkspace'),
      deny: deciding('deny'),
      denyWithReason: async (given) => {
        const approval = this.meant(given);
        const reason = await vscode.window.showInputBox({
          title: approval?.request.title ?? 'Deny',
          prompt: 'Why not? The model reads it.',
        });
        if (reason !== undefined) {
          await this.decide(approval, 'deny', reason);
        }
      },
      review: async (given) => {
        const approval = this.meant(given);
        if (approval === undefined) {
          tell('information', 'Nothing waits for approval.');
          return;
        }
        await this.documents.show(approval, false);
        this.notify(approval);
      },
    };
  }

  /** The approval of a tree item or document, else the oldest one. */
  private meant(given: unknown): Approval | undefined {
    if (given instanceof vscode.Uri) {
      return this.documents.approvalOf(given);
    }
    if (typeof given === 'object' && given !== null && 'key' in given) {
      return this.pending.byKey(String(given.key));
    }
    return this.pending.all()[0];
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
    const approvalId = approval?.request.approvalId ?? this.later.current();
    if (approvalId === undefined) {
      tell('information', 'Nothing waits for approval.');
      return;
    }
    const given = { approvalId, decision };
    await this.later.approve(message === undefined ? given : { ...given, message });
  }

  /** A notification that is closed decides nothing; one that is answered too late says so. */
  private notify(approval: Approval): void {
    const message = literal(`Perdure: ${question(approval.request)}`);
    void vscode.window.showWarningMessage(message, ...Object.keys(BUTTONS)).then((title) => {
      const decision = title === undefined ? undefined : BUTTONS[title];
      if (decision !== undefined) {
        this.decide(approval, decision).catch(tellFailure);
      }
    });
  }
}
