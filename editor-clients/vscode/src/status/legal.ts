import type { Elsewhere } from '../folders';
import type { Status } from '../protocol';

/** What can be done with a folder now. The names are those of the context keys `perdure.…`. */
export interface Legal {
  readonly hasSession: boolean;
  readonly canPrompt: boolean;
  readonly canAbort: boolean;
  readonly canContinue: boolean;
  readonly canResume: boolean;
  readonly canCompact: boolean;
  readonly canLeave: boolean;
  readonly canUndo: boolean;
  readonly canTakeOver: boolean;
  readonly isBlocked: boolean;
  readonly approvalPending: boolean;
}

/** Tell what is legal; nothing is while the server does not run. */
export function legal(status: Status | undefined): Legal {
  const state = status?.state;
  const finished = state === 'idle';
  const unfinished = (status?.operation ?? null) !== null;
  return {
    hasSession: (status?.sessionId ?? null) !== null,
    canPrompt: state !== undefined && state !== 'unavailable',
    canAbort: unfinished && state !== 'unavailable',
    canContinue: finished && status?.failed !== undefined,
    canResume: state === 'suspended' || offers(status, 'perdure.resume') || waits(status),
    canCompact: finished,
    canLeave: state === 'none' || finished || offers(status, 'perdure.newSession'),
    canUndo: finished,
    canTakeOver: offers(status, 'perdure.takeOver'),
    isBlocked: state === 'blocked',
    approvalPending: (status?.approval ?? null) !== null,
  };
}

/**
 * What a window offers: that of its current folder, prompts also where another one takes them,
 * since they ask which folder is meant, and the approvals of all.
 */
export function legalInWindow(status: Status | undefined, elsewhere: readonly Elsewhere[]): Legal {
  const here = legal(status);
  const states = elsewhere.map(({ state }) => state);
  return {
    ...here,
    canPrompt: here.canPrompt || states.some((state) => state !== 'unavailable'),
    approvalPending: here.approvalPending || states.includes('waitingForApproval'),
  };
}

function offers(status: Status | undefined, command: string): boolean {
  return status?.blocked?.actions.some((action) => action.command === command) ?? false;
}

/** Whether prompts wait for somebody to start them. */
function waits(status: Status | undefined): boolean {
  return status?.state === 'idle' && status.queue.length > 0;
}
