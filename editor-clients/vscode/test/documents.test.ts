import { expect, test, vi } from 'vitest';
import { Uri } from 'vscode';

import { TranscriptDocuments } from '../src/transcript/documents';
import { sessionOf } from '../src/transcript/uri';
import { statusOf } from './examples';

const SESSION = Uri.from({ scheme: 'perdure', path: '/s1.md' });
const DELTA = {
  sessionId: 's1',
  operationId: 'o',
  stepId: 'p',
  kind: 'text',
  text: 'More',
} as const;
const ANSWER = { sessionId: 's1', facts: [{ entry: { message: { role: 'assistant' } } }] };

interface Shown {
  documents: TranscriptDocuments;
  text: () => Promise<string>;
  changes: () => number;
  server: { text: string; gone: boolean; asked: number };
}

function shown(): Shown {
  vi.useFakeTimers();
  const server = { text: '# Session\n', gone: false, asked: 0 };
  const documents = new TranscriptDocuments(() => {
    server.asked += 1;
    return server.gone ? Promise.reject(new Error('gone')) : Promise.resolve(server.text);
  });
  let changes = 0;
  documents.onDidChange(() => {
    changes += 1;
  });
  return {
    documents,
    server,
    text: () => documents.provideTextDocumentContent(SESSION),
    changes: () => {
      vi.runAllTimers();
      return changes;
    },
  };
}

test('what streams stands below the durable text, without asking the server again', async () => {
  const { documents, text, changes, server } = shown();
  await text();
  documents.delta(DELTA);
  documents.delta({ ...DELTA, text: ' and more' });
  expect(changes()).toBe(1);
  expect(await text()).toBe('# Session\n\n**Answer** (streaming)\n\n> More and more\n');
  expect(server.asked).toBe(1);
});

test('committed text takes the place of what streamed', async () => {
  const { documents, text, changes, server } = shown();
  await text();
  documents.delta(DELTA);
  server.text = '# Session\n\n> More\n';
  documents.committed(ANSWER);
  expect(changes()).toBe(1);
  expect(await text()).toBe(server.text);
});

test('what changes while the editor opens a document is drawn once it is open', async () => {
  const { documents, text, changes, server } = shown();
  await text();
  server.text = '# Later\n';
  documents.transcriptChanged(SESSION);
  const before = changes();
  documents.opened(SESSION);
  expect(changes()).toBe(before + 1);
  expect(await text()).toBe('# Later\n');
});

test('a server that is gone leaves the text, and the next one brings it up to date', async () => {
  const { documents, text, changes, server } = shown();
  await text();
  server.gone = true;
  documents.transcriptChanged(SESSION);
  expect(await text()).toBe('# Session\n');
  server.gone = false;
  server.text = '# Later\n';
  documents.reconnected();
  expect(changes()).toBe(1);
  expect(await text()).toBe('# Later\n');
});

test('a session that cannot be read says so', async () => {
  const { text, server } = shown();
  server.gone = true;
  expect(await text()).toContain('cannot be shown: gone');
});

test('the end of the operation ends the stream', async () => {
  const { documents, text } = shown();
  await text();
  documents.delta(DELTA);
  documents.statusChanged(statusOf());
  expect(await text()).toBe('# Session\n');
});

test('documents that are closed, and sessions that are not shown, draw nothing', async () => {
  const { documents, text, changes, server } = shown();
  await text();
  documents.delta(DELTA);
  documents.closed(SESSION);
  documents.delta(DELTA);
  expect(changes()).toBe(0);
  server.text = '# Opened again\n';
  expect(await text()).toBe(server.text);
});

test.each([
  ['perdure:/s1.md', 's1'],
  ['perdure:///s1.md', 's1'],
  ['file:/s1.md', undefined],
  ['perdure:/s1.txt', undefined],
])('%s shows session %s', (uri, session) => {
  expect(sessionOf(Uri.parse(uri))).toBe(session);
});
