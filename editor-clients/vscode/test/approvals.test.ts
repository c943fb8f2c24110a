import { expect, test } from 'vitest';

import { PendingApprovals, type Approval } from '../src/approvals/pending';
import { commandDocument, needsDocument, question, titleOf } from '../src/approvals/text';
import type { Place } from '../src/folders';
import { APPROVAL, OPERATION, requestOf, statusOf } from './examples';

function asked(
  pending: PendingApprovals,
  request = requestOf(),
  place: Place = { uri: 'file:///work', name: undefined },
): {
  approval: Approval;
  answer: Promise<unknown>;
} {
  let approval: Approval | undefined;
  const answer = pending.ask(request, place, (shown) => {
    approval = shown;
  });
  if (approval === undefined) {
    throw new Error('it was not shown');
  }
  return { approval, answer };
}

test('a decision is the answer, and counts once', async () => {
  const pending = new PendingApprovals();
  const { approval, answer } = asked(pending);
  expect(pending.decide(approval, 'deny', 'not now')).toBe(true);
  expect(pending.decide(approval, 'allow')).toBe(false);
  expect(await answer).toEqual({ decision: 'deny', message: 'not now' });
  expect(pending.all()).toEqual([]);
});

test('what the server no longer waits for is not decided', async () => {
  const pending = new PendingApprovals();
  const { answer } = asked(pending);
  pending.settle(statusOf({ state: 'running', operation: OPERATION }));
  expect(await answer).toBeNull();
});

test('what it still waits for stays, also when another session says something', () => {
  const pending = new PendingApprovals();
  asked(pending);
  pending.settle(statusOf({ state: 'waitingForApproval', approval: APPROVAL }));
  pending.settle(statusOf({ sessionId: 's2' }));
  expect(pending.all()).toHaveLength(1);
});

test('the same call asked about again is a new question, and the old one decides nothing', async () => {
  const pending = new PendingApprovals();
  const first = asked(pending);
  const second = asked(pending);
  expect(await first.answer).toBeNull();
  expect(pending.decide(first.approval, 'allow')).toBe(false);
  expect(pending.decide(second.approval, 'allow')).toBe(true);
});

test('what waits in a folder that is closed is not decided, in others it waits on', async () => {
  const pending = new PendingApprovals();
  const api = asked(pending, requestOf(), { uri: 'file:///api', name: 'api' });
  const web = asked(pending, requestOf({ approvalId: 'a2:0' }), {
    uri: 'file:///web',
    name: 'web',
  });
  expect(pending.of('file:///web')).toEqual([web.approval]);
  pending.forget('file:///api');
  expect(await api.answer).toBeNull();
  expect(pending.all()).toEqual([web.approval]);
  expect(titleOf(web.approval)).toBe('bash: ls (web)');
});

test('the end of the server is no decision', async () => {
  const pending = new PendingApprovals();
  const { answer } = asked(pending);
  pending.clear();
  expect(await answer).toBeNull();
});

test('a short command is asked about in full', () => {
  expect(question(requestOf())).toBe('Allow bash: ls?');
  expect(needsDocument(requestOf())).toBe(false);
});

test('a long command, one of several lines, and a change get a document', () => {
  const long = requestOf({ preview: { command: 'x'.repeat(301) } });
  const lines = requestOf({ preview: { command: 'a\nb' } });
  const file = requestOf({ preview: { uri: 'file:///a', before: '', after: 'x' } });
  expect([long, lines, file].map(needsDocument)).toEqual([true, true, true]);
  expect(question(long)).toBe('Allow bash: ls?');
});

test('the document of a command holds nothing that could be taken for a part of it', () => {
  const request = requestOf({ reason: 'the third time\nin a row' });
  const text = commandDocument(request, { command: 'rm -r build', directory: '/work' });
  expect(text.split('\n')).toEqual([
    '# the third time',
    '# in a row',
    '# Runs in /work',
    '',
    'rm -r build',
    '',
  ]);
});
