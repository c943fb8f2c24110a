import { expect, test } from 'vitest';

import type { Elsewhere } from '../src/folders';
import type { Status } from '../src/protocol';
import type { ServicePhase } from '../src/server/service';
import { nextActions } from '../src/status/actions';
import { legal, legalInWindow, type Legal } from '../src/status/legal';
import { compact, statusText as textOf, type StatusText } from '../src/status/text';
import { APPROVAL, blockedBy, OPERATION, statusOf } from './examples';

const RUNNING = statusOf({ state: 'running', operation: OPERATION });
const WAITING = statusOf({
  state: 'waitingForApproval',
  operation: OPERATION,
  approval: APPROVAL,
});
const SUSPENDED = statusOf({ state: 'suspended', operation: OPERATION });
const BLOCKED = statusOf({
  state: 'blocked',
  operation: OPERATION,
  blocked: blockedBy('configuration_changed', 'perdure.resume', 'perdure.abort'),
});
const IN_USE = statusOf({
  state: 'unavailable',
  blocked: blockedBy('session_in_use', 'perdure.takeOver', 'perdure.resume'),
});
const CORRUPT = statusOf({
  state: 'unavailable',
  blocked: blockedBy('session_corrupt', 'perdure.newSession'),
});
const FAILED = statusOf({
  failed: {
    operationId: 'o1',
    code: 'context_overflow',
    message: 'Too long.',
    actions: [{ title: 'Continue', command: 'perdure.continue', arguments: [] }],
  },
});
const NONE = statusOf({ state: 'none', sessionId: null });
const QUEUE = statusOf({ queue: [{ queuedId: 'q1', text: 'next' }] });

const WEB: Elsewhere = { uri: 'file:///web', name: 'web', state: 'waitingForApproval' };
const DOCS: Elsewhere = { uri: 'file:///docs', name: 'docs', state: 'running' };

function statusText(phase: ServicePhase, status?: Status, trusted = true): StatusText {
  return textOf(phase, status, { trusted, name: undefined, elsewhere: [] });
}

test.each<[string, Status | undefined, (keyof Legal)[]]>([
  ['no status', undefined, []],
  ['none', NONE, ['canPrompt', 'canLeave']],
  ['idle', statusOf(), ['hasSession', 'canPrompt', 'canCompact', 'canLeave', 'canUndo']],
  [
    'idle, with prompts that wait',
    QUEUE,
    ['hasSession', 'canPrompt', 'canResume', 'canCompact', 'canLeave', 'canUndo'],
  ],
  [
    'failed',
    FAILED,
    ['hasSession', 'canPrompt', 'canContinue', 'canCompact', 'canLeave', 'canUndo'],
  ],
  ['running', RUNNING, ['hasSession', 'canPrompt', 'canAbort']],
  ['waiting', WAITING, ['hasSession', 'canPrompt', 'canAbort', 'approvalPending']],
  ['suspended', SUSPENDED, ['hasSession', 'canPrompt', 'canAbort', 'canResume']],
  ['blocked', BLOCKED, ['hasSession', 'canPrompt', 'canAbort', 'canResume', 'isBlocked']],
  ['in use', IN_USE, ['hasSession', 'canResume', 'canTakeOver']],
  ['corrupt', CORRUPT, ['hasSession', 'canLeave']],
])('legal: %s', (_, status, expected) => {
  const keys = Object.entries(legal(status)).filter(([, allowed]) => allowed === true);
  expect(keys.map(([key]) => key)).toEqual(expected);
});

test('a window offers prompts that another folder takes, and the approvals of all', () => {
  expect(legalInWindow(IN_USE, [])).toEqual(legal(IN_USE));
  const { canPrompt, approvalPending, canAbort } = legalInWindow(IN_USE, [WEB]);
  expect([canPrompt, approvalPending, canAbort]).toEqual([true, true, false]);
  expect(legalInWindow(IN_USE, [{ ...WEB, state: 'unavailable' }]).canPrompt).toBe(false);
});

function commands(status: Status | undefined, phase: ServicePhase = 'running'): string[] {
  return nextActions(phase, status).map(({ command }) => command.replace('perdure.editor.', ''));
}

test.each<[string, Status, string[]]>([
  ['waiting', WAITING, ['review', 'abort', 'prompt']],
  ['suspended', SUSPENDED, ['resume', 'abort', 'prompt']],
  ['blocked', BLOCKED, ['perdure.resume', 'perdure.abort', 'prompt']],
  ['failed', FAILED, ['perdure.continue', 'prompt']],
  ['in use', IN_USE, ['perdure.takeOver', 'perdure.resume', 'showTranscript']],
  ['none', NONE, ['prompt', 'openSession', 'restartServer']],
])('next actions, the first of them: %s', (_, status, expected) => {
  expect(commands(status).slice(0, expected.length)).toEqual(expected);
});

test('of a server that stands still only the server can be acted on', () => {
  expect(commands(statusOf(), 'stopped')).toEqual(['restartServer', 'showLog']);
});

test('where no server is installed, the first prompt installs it', () => {
  expect(commands(undefined, 'missing')).toEqual(['prompt', 'installServer', 'showLog']);
  expect(statusText('missing')).toMatchObject({ attention: false });
});

test.each([
  ['running', RUNNING, '$(sync~spin) Perdure: running · gpt-5 · 12.3k tokens', false],
  ['waiting', WAITING, '$(bell-dot) Perdure: waiting for you · gpt-5 · 12.3k tokens', true],
  ['blocked', BLOCKED, '$(warning) Perdure: blocked · gpt-5 · 12.3k tokens', true],
])('text: %s', (_, status, text, attention) => {
  expect(statusText('running', status)).toMatchObject({ text, attention });
});

test('cost is shown where it is known', () => {
  const { usage } = statusOf();
  const at = (cost: number): string =>
    statusText('running', statusOf({ usage: { ...usage, cost } })).text;
  expect(at(0.0421)).toContain('· $0.042');
  expect(at(12.5)).toContain('· $12.50');
});

test('the tooltip says why, how full the context is, and what is not trusted', () => {
  const { usage } = statusOf();
  const status = statusOf({
    ...BLOCKED,
    usage: { ...usage, contextTokens: 9000, contextWindow: 200_000 },
  });
  expect(statusText('running', status, false).tooltip.split('\n')).toEqual([
    'Because of configuration_changed',
    'Model: gpt-5 (openai)',
    'Tokens: 12k in, 300 out',
    'Context: 9k of 200k tokens',
    'This workspace is not trusted: the agent only reads.',
  ]);
});

test('with several folders the bar names its own, and those that need somebody', () => {
  const { text, tooltip, attention } = textOf('running', statusOf(), {
    trusted: true,
    name: 'api',
    elsewhere: [WEB, DOCS],
  });
  expect(text).toBe('$(check) Perdure (api): idle · gpt-5 · 12.3k tokens · $(bell-dot) web');
  expect(tooltip).toContain('\nweb: waiting for you\ndocs: running');
  expect(attention).toBe(true);
});

test('what waits in another folder comes first', () => {
  expect(nextActions('running', statusOf(), [DOCS, WEB])[0]).toEqual({
    label: '$(bell-dot) web: waiting for you',
    command: 'perdure.editor.review',
    arguments: [{ workspaceFolder: 'file:///web' }],
  });
});

test('while the server does not run, the bar speaks of the server', () => {
  expect(statusText('stopped', RUNNING).text).toBe('$(error) Perdure: stopped');
  expect(statusText('waiting', RUNNING).attention).toBe(true);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1250, '1.3k'],
  [123_456, '123k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [4_100_000, '4.1M'],
])('%i tokens: %s', (count, text) => {
  expect(compact(count)).toBe(text);
});
