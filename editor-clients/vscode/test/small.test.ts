import { expect, test } from 'vitest';

import { codeOf, messageOf } from '../src/errors';
import { literal } from '../src/literal';
import { ApiKeys } from '../src/secrets';
import { ServerProcess, whatHappened } from '../src/server/process';
import { Statuses, type StatusChange } from '../src/statuses';
import { statusOf } from './examples';

test('errors of the server have a code, others have none', () => {
  const busy = Object.assign(new Error('A run is at work.'), {
    code: -32_000,
    data: { code: 'busy' },
  });
  expect([codeOf(busy), messageOf(busy)]).toEqual(['busy', 'A run is at work.']);
  expect(codeOf(new Error('no'))).toBeUndefined();
  expect(messageOf('text')).toBe('text');
});

test('a request whose server is gone is told in words', () => {
  const gone = Object.assign(new Error('Pending…'), { code: -32_097 });
  expect(messageOf(gone)).toBe('The server has ended.');
});

test('keys reach the server as variables, those of the configured endpoint too', async () => {
  const stored = new Map<string, string>();
  const storage = {
    get: (key: string) => Promise.resolve(stored.get(key)),
    store: (key: string, value: string) => Promise.resolve(void stored.set(key, value)),
    delete: (key: string) => Promise.resolve(void stored.delete(key)),
    onDidChange: () => ({ dispose: () => undefined }),
  };
  const keys = new ApiKeys(storage, () => 'MY_KEY');
  const [own, anthropic] = keys.vendors();
  expect([own?.variable, anthropic?.variable]).toEqual(['MY_KEY', 'ANTHROPIC_API_KEY']);
  for (const vendor of keys.vendors().slice(0, 2)) {
    await keys.set(vendor, `key of ${vendor.variable}`);
  }
  expect(await keys.environment()).toEqual({
    MY_KEY: 'key of MY_KEY',
    ANTHROPIC_API_KEY: 'key of ANTHROPIC_API_KEY',
  });
  await keys.remove({ name: '', variable: 'MY_KEY' });
  expect(await keys.environment()).not.toHaveProperty('MY_KEY');
});

test('a status comes with the one before it', () => {
  const statuses = new Statuses();
  const changes: StatusChange[] = [];
  statuses.onChange((change) => changes.push(change));
  statuses.update(statusOf());
  statuses.update(statusOf({ state: 'running' }));
  expect(changes.map(({ before, now }) => [before?.state, now.state])).toEqual([
    [undefined, 'idle'],
    ['idle', 'running'],
  ]);
  expect(statuses.ofSession('s1')?.workspaceFolder).toBe('file:///work');
  statuses.clear();
  expect(statuses.all()).toEqual([]);
});

function started(script: string, lines: string[] = []): ServerProcess {
  const command = { program: process.execPath, args: ['-e', script], origin: 'test' };
  const onLine = (line: string): void => void lines.push(line);
  return new ServerProcess(command, { env: process.env, cwd: '/', onLine });
}

test('a process that ends says how, with its last words', async () => {
  const lines: string[] = [];
  const server = started("console.error('first\\nno such module\\n'); process.exitCode = 3", lines);
  const ended = await server.ended;
  expect(ended).toEqual({ code: 3, signal: null, lastWords: 'no such module' });
  expect(whatHappened(ended, 'It stays down.')).toBe(
    'The server ended with code 3. It stays down. Its last words: no such module',
  );
  expect(lines).toEqual(['first', 'no such module', '']);
});

test('a process that is killed says by what', async () => {
  const server = started('setInterval(() => {}, 1000)');
  server.kill('SIGKILL');
  expect(whatHappened(await server.ended)).toBe('The server was killed by SIGKILL.');
});

test('a program that is not there is no crash of the editor', async () => {
  const command = { program: '/no/such/program', args: [], origin: 'test' };
  const server = new ServerProcess(command, { env: {}, cwd: '/', onLine: () => undefined });
  const ended = await server.ended;
  expect(ended.lastWords).toContain('ENOENT');
  expect(whatHappened(ended)).toContain('The server could not be started. Its last words: ');
});

test.each([
  ['a plain text, 100 % (yes) [no]', 'a plain text, 100 % (yes) [no]'],
  ['rm [a](https://b) c', 'rm [a]\u200b(https://b) c'],
  ['echo \u202egnp.exe\u001b[2J', 'echo \\u{202e}gnp.exe\\u{1b}[2J'],
  ['two\nlines', 'two\nlines'],
  ['繁體 中文 é', '繁體 中文 é'],
])('%j is shown as it is', (text, shown) => {
  expect(literal(text)).toBe(shown);
});
