import type { ApproveParams, BlockedInfo, Status } from '../src/protocol';

/** A status of the folder `file:///work`, idle unless said otherwise. */
export function statusOf(changes: Partial<Status> = {}): Status {
  return {
    workspaceFolder: 'file:///work',
    environmentIdentity: '/work',
    sessionId: 's1',
    state: 'idle',
    operation: null,
    plan: null,
    blocked: null,
    approval: null,
    usage: {
      input: 12_000,
      output: 300,
      cacheRead: 0,
      cacheWrite: 0,
      contextTokens: null,
      contextWindow: null,
      cost: null,
    },
    model: { provider: 'openai', name: 'gpt-5' },
    queue: [],
    ...changes,
  };
}

export const OPERATION: NonNullable<Status['operation']> = {
  operationId: 'o1',
  kind: 'run',
  phase: 'model',
  startedAt: 0,
  label: 'Asking the model',
};

export const APPROVAL: NonNullable<Status['approval']> = {
  approvalId: 'a1:0',
  toolCallId: 't1',
  toolName: 'bash',
  title: 'bash: ls',
};

export function blockedBy(code: string, ...commands: string[]): BlockedInfo {
  const actions = commands.map((command) => ({ title: command, command, arguments: [] }));
  return { code, title: `Because of ${code}`, details: [], actions };
}

export function requestOf(changes: Partial<ApproveParams> = {}): ApproveParams {
  return {
    approvalId: 'a1:0',
    sessionId: 's1',
    toolCallId: 't1',
    toolName: 'bash',
    arguments: { command: 'ls' },
    title: 'bash: ls',
    preview: { command: 'ls', directory: '/work' },
    ...changes,
  };
}
