import { expect, test } from 'vitest';

import type { ChangesResult } from '../src/protocol';
import { asDiff, ofRun } from '../src/views/lastRun';
import { age, sessionDescription, sessionIcon } from '../src/views/sessionText';
import { statusOf } from './examples';

const change = (path: string, operationId: string): ChangesResult['changes'][number] => ({
  path,
  operationId,
  kind: 'modified',
  toolCallId: 't',
  diff: `--- ${path}\n`,
  state: 'applied',
});

const SESSION: ChangesResult = {
  changes: [change('a.txt', 'run-1'), change('b.txt', 'run-2')],
  commands: [{ command: 'make\n  all', operationId: 'run-2', toolCallId: 't' }],
};

test('the changes are those of the run that works, else of the last one', () => {
  expect(ofRun(SESSION, 'run-1').changes.map(({ path }) => path)).toEqual(['a.txt']);
  expect(ofRun(SESSION, undefined).changes.map(({ path }) => path)).toEqual(['b.txt']);
  expect(ofRun(SESSION, 'run-3')).toEqual({ changes: [], commands: [] });
});

test('all changes of a run are one text', () => {
  expect(asDiff(ofRun(SESSION, undefined))).toBe(
    '# b.txt: modified, as the run left it\n--- b.txt\n\n# command, cannot be undone: make all\n',
  );
  expect(asDiff({ changes: [], commands: [] })).toBe('');
});

test.each([
  [0, 'now'],
  [-5000, 'now'],
  [5 * 60_000, '5 min'],
  [3 * 3_600_000, '3 h'],
  [50 * 3_600_000, '2 d'],
])('%i ms: %s', (span, text) => {
  expect(age(span)).toBe(text);
});

test('a session is described by its age and usage', () => {
  const { usage } = statusOf();
  const session = {
    sessionId: 's',
    title: 'T',
    createdAt: 0,
    updatedAt: 0,
    state: 'idle',
    path: '/s',
    usage,
  };
  expect(sessionDescription(session, 60_000)).toBe('1 min · 12.3k tokens');
  const unused = { ...usage, input: 0, output: 0 };
  expect(sessionDescription({ ...session, usage: unused }, 0)).toBe('now');
});

test('a state that is not known yet has an icon', () => {
  expect(sessionIcon('blocked')).toBe('warning');
  expect(sessionIcon('levitating')).toBe('circle-outline');
});
