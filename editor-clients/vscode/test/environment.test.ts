import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { InstallFailed, ManagedEnvironment, type Observer } from '../src/python/environment';

// A stand-in for Python: `-m venv DIR` makes a copy of itself there, `-m pip …` the server.
const PYTHON = `#!/bin/sh
if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; exit; fi
for wheel; do :; done
case "$wheel" in *broken*) echo "no such wheel" >&2; exit 1;; *slow*) sleep 30;; esac
echo "installed $wheel"
touch "$(dirname "$0")/perdure"
`;

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perdure-'));
  writeFileSync(join(home, 'python'), PYTHON);
  chmodSync(join(home, 'python'), 0o755);
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

function environment(wheel = 'perdure-1.whl', version = '1.0.0'): ManagedEnvironment {
  const bundled = mkdtempSync(join(home, 'bundled-'));
  writeFileSync(join(bundled, wheel), '');
  return new ManagedEnvironment(join(home, 'storage'), bundled, version);
}

function make(made: ManagedEnvironment, more: Partial<Observer> = {}): Promise<void> {
  const quiet = { say: () => undefined, line: () => undefined };
  const { signal } = new AbortController();
  return made.make(join(home, 'python'), { ...quiet, signal, ...more });
}

test('it is there when it is complete, for its version', async () => {
  const made = environment();
  expect(made.program).toBe('');
  const lines: string[] = [];
  await make(made, { line: (text) => lines.push(text) });
  expect(existsSync(made.program)).toBe(true);
  expect(lines.at(-1)).toMatch(/^installed .*perdure-1\.whl\[mcp\]$/);
  expect(environment('perdure-1.whl', '2.0.0').program).toBe('');
});

test('one that cannot be made says why, leaves nothing, and keeps the one before', async () => {
  await make(environment());
  const { program } = environment();
  await expect(make(environment('broken.whl'))).rejects.toThrow(new InstallFailed('no such wheel'));
  expect(environment().program).toBe(program);
  expect(readdirSync(join(home, 'storage'))).toHaveLength(2);
});

test('one that is cancelled says so and leaves nothing', async () => {
  const aborter = new AbortController();
  const say = (step: string): void => {
    if (step.startsWith('Installing')) {
      setTimeout(() => {
        aborter.abort();
      }, 50);
    }
  };
  const making = make(environment('slow.whl'), { say, signal: aborter.signal });
  await expect(making).rejects.toThrow('it was cancelled');
  expect(readdirSync(join(home, 'storage'))).toEqual([]);
});

test('two windows that make one at the same time both have one', async () => {
  const made = [environment(), environment()];
  await Promise.all(made.map((one) => make(one)));
  expect(made.every((one) => existsSync(one.program))).toBe(true);
});

test('an extension without a server says so', async () => {
  mkdirSync(join(home, 'empty'));
  const made = new ManagedEnvironment(join(home, 'storage'), join(home, 'empty'), '1.0.0');
  await expect(make(made)).rejects.toThrow('There is no server in');
});
