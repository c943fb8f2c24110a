import type { Place } from '../folders';
import type { ApproveParams, ApproveResult, Status } from '../protocol';

export type Decision = ApproveResult['decision'];

/** An approval that waits for the user. */
export interface Approval {
  /** A short name, unique in this window, for the documents that show it. */
  readonly key: string;
  readonly request: ApproveParams;
  /** The folder whose work waits; undefined while that is not known. */
  readonly place: Place | undefined;
}

interface Waiting extends Approval {
  readonly answer: (result: ApproveResult | null) => void;
}

/**
 * The approvals that the server waits for. Each can be decided in several places, and is decided
 * once; null, the answer to one that nobody decides, means: not decided.
 */
export class PendingApprovals {
  private readonly waiting = new Map<string, Waiting>();
  private readonly listeners: (() => void)[] = [];
  private count = 0;

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  all(): Approval[] {
    return [...this.waiting.values()];
  }

  /** Those of one folder. */
  of(folder: string | undefined): Approval[] {
    return this.all().filter(({ place }) => place?.uri === folder);
  }

  byKey(key: string): Approval | undefined {
    return this.all().find((approval) => approval.key === key);
  }

  /** Take a request; `shown` gets the approval at once, the answer comes with the decision. */
  ask(
    request: ApproveParams,
    place: Place | undefined,
    shown: (approval: Approval) => void,
  ): Promise<ApproveResult | null> {
    this.take(request.approvalId)?.answer(null);
    this.count += 1;
    const key = String(this.count);
    return new Promise((answer) => {
      const approval = { key, request, place, answer };
      this.waiting.set(request.approvalId, approval);
      this.tell();
      shown(approval);
    });
  }

  /** Decide; false when it is not pending any more. */
  decide(approval: Approval, decision: Decision, message?: string): boolean {
    const waiting = this.waiting.get(approval.request.approvalId);
    if (waiting?.key !== approval.key) {
      return false;
    }
    this.take(approval.request.approvalId);
    waiting.answer(message === undefined ? { decision } : { decision, message });
    this.tell();
    return true;
  }

  /** Drop what the server no longer waits for, now that a folder's status is another one. */
  settle(status: Status): void {
    const stale = this.all().filter(
      ({ request }) =>
        request.sessionId === status.sessionId &&
        request.approvalId !== status.approval?.approvalId,
    );
    this.drop(stale);
  }

  /** A folder is not open any more. */
  forget(folder: string): void {
    this.drop(this.of(folder));
  }

  /** The server has ended: the next one asks again. */
  clear(): void {
    this.drop(this.all());
  }

  private drop(approvals: readonly Approval[]): void {
    for (const { request } of approvals) {
      this.take(request.approvalId)?.answer(null);
    }
    if (approvals.length > 0) {
      this.tell();
    }
  }

  private take(approvalId: string): Waiting | undefined {
    const waiting = this.waiting.get(approvalId);
    this.waiting.delete(approvalId);
    return waiting;
  }

  private tell(): void {
    for (const listener of this.listeners) {
      listener();
    }
  }
}
