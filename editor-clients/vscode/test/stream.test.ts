import { expect, test } from 'vitest';

import type { CommittedParams, DeltaParams } from '../src/protocol';
import { Stream } from '../src/transcript/stream';

function delta(text: string, changes: Partial<DeltaParams> = {}): DeltaParams {
  return { sessionId: 's', operationId: 'o', stepId: 'p', kind: 'text', text, ...changes };
}

function messages(...roles: string[]): CommittedParams['facts'] {
  return roles.map((role) => ({ kind: 'entry', entry: { message: { role, content: '' } } }));
}

test('pieces of one answer are one, and it is quoted line by line', () => {
  const stream = new Stream();
  for (const text of ['Half ', 'of it\r\n', '\nand the rest']) {
    stream.add(delta(text));
  }
  expect(stream.markdown()).toBe('\n**Answer** (streaming)\n\n> Half of it\n>\n> and the rest\n');
});

test('what a tool prints cannot leave its fence', () => {
  const stream = new Stream();
  stream.add(delta('```\n# no heading\n~~~~~\n', { kind: 'toolOutput', toolCallId: 't' }));
  const lines = stream.markdown().split('\n');
  expect(lines).toContain('``````text');
  expect(lines.filter((line) => line === '``````')).toHaveLength(1);
});

test('an answer goes when the transcript that holds it is there, not before', () => {
  const stream = new Stream();
  stream.add(delta('Hello'));
  expect(stream.committed(messages('assistant'))).toBe(true);
  expect(stream.markdown()).toContain('Hello');
  const durable = stream.durable();
  stream.add(delta('More', { stepId: 'next' }));
  stream.drop(durable);
  expect(stream.markdown()).not.toContain('Hello');
  expect(stream.markdown()).toContain('More');
});

test('what streams after a commit is a piece of its own, and stays', () => {
  const stream = new Stream();
  stream.add(delta('first', { kind: 'toolOutput', toolCallId: 't' }));
  stream.committed(messages('tool'));
  const durable = stream.durable();
  stream.add(delta('second', { kind: 'toolOutput', toolCallId: 't' }));
  stream.drop(durable);
  expect(stream.markdown()).toContain('second');
  expect(stream.markdown()).not.toContain('first');
});

test('an answer does not take the output of a tool with it', () => {
  const stream = new Stream();
  stream.add(delta('line', { kind: 'toolOutput', toolCallId: 't' }));
  expect(stream.committed(messages('assistant'))).toBe(false);
  expect(stream.committed(messages('tool'))).toBe(true);
});

test('facts without messages concern nothing that streams', () => {
  const stream = new Stream();
  stream.add(delta('Hello'));
  expect(stream.committed([{ kind: 'record', record: { type: 'stepAttempt' } }])).toBe(false);
});

test('at the end of the operation everything is durable', () => {
  const stream = new Stream();
  stream.add(delta('Hello'));
  expect(stream.finished()).toBe(true);
  stream.drop(stream.durable());
  expect(stream.markdown()).toBe('');
  expect(stream.finished()).toBe(false);
});
