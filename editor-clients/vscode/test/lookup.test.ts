import { expect, test } from 'vitest';

import {
  findPython,
  findServer,
  isNewEnough,
  type Machine,
  type Places,
} from '../src/python/lookup';

const NOWHERE: Places = { command: [], interpreter: '', suggestedInterpreter: '', managed: '/m/p' };

interface Found {
  readonly versions?: Record<string, string>;
  readonly withServer?: readonly string[];
  readonly onPath?: Record<string, string>;
  readonly files?: readonly string[];
}

function machine({ versions = {}, withServer = [], onPath = {}, files = [] }: Found): Machine {
  return {
    ask: (program, args) => {
      const imports = args.includes('import perdure');
      const answer = imports && withServer.includes(program) ? '' : undefined;
      return Promise.resolve(imports ? answer : versions[program]);
    },
    which: (name) => onPath[name],
    exists: (path) => files.includes(path),
  };
}

const EVERYTHING = machine({
  withServer: ['/own/python', '/suggested/python'],
  onPath: { perdure: '/bin/perdure' },
  files: ['/m/p'],
});
const ALL: Places = {
  command: ['/my/perdure', 'serve', '-v'],
  interpreter: '/own/python',
  suggestedInterpreter: '/suggested/python',
  managed: '/m/p',
};

test.each([
  ['the setting', ALL, ['/my/perdure', 'serve', '-v']],
  [
    'the interpreter that is set',
    { ...ALL, command: [] },
    ['/own/python', '-P', '-m', 'perdure', 'serve'],
  ],
  [
    'the interpreter of the Python extension',
    { ...ALL, command: [], interpreter: '' },
    ['/suggested/python', '-P', '-m', 'perdure', 'serve'],
  ],
  ['the environment that was made', NOWHERE, ['/m/p', 'serve']],
])('%s comes first where it is given', async (_, places, words) => {
  const found = await findServer(places, EVERYTHING);
  expect([found?.program, ...(found?.args ?? [])]).toEqual(words);
});

test('an interpreter without the server is passed over, down to PATH', async () => {
  const bare = machine({ onPath: { perdure: '/bin/perdure' } });
  const found = await findServer({ ...ALL, command: [] }, bare);
  expect(found).toEqual({ program: '/bin/perdure', args: ['serve'], origin: 'found on PATH' });
});

test('where there is no server, one has to be made', async () => {
  expect(await findServer(NOWHERE, machine({}))).toBeUndefined();
});

test('a Python for the environment is new enough, and the chosen one if that is', async () => {
  const versions = {
    '/own/python': '3.12',
    '/usr/bin/python3': '3.9',
    '/usr/bin/python3.11': '3.11',
  };
  const onPath = { python3: '/usr/bin/python3', 'python3.11': '/usr/bin/python3.11' };
  const places = { ...NOWHERE, interpreter: '/own/python' };
  expect(await findPython(places, machine({ versions, onPath }))).toBe('/own/python');
  expect(await findPython(NOWHERE, machine({ versions, onPath }))).toBe('/usr/bin/python3.11');
  expect(await findPython(NOWHERE, machine({ onPath }))).toBeUndefined();
});

test.each([
  ['3.11', true],
  ['3.9', false],
  ['3.10', false],
  ['3.14\n', true],
  ['4.0', true],
  ['2.7', false],
  ['Python', false],
  ['', false],
])('version %j: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});
