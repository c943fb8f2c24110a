import { beforeEach, expect, test } from 'vitest';

import type { Ended } from '../src/server/process';
import { RestartPolicy } from '../src/server/restartPolicy';
import { EndedEarly, Supervisor, type Life } from '../src/server/supervisor';

const KILLED: Ended = { code: null, signal: 'SIGKILL', lastWords: 'oh' };
const EXITED: Ended = { code: 3, signal: null, lastWords: 'no such module' };
const STOPPED: Ended = { code: 0, signal: null, lastWords: '' };

class FakeLife implements Life {
  die: (how: Ended) => void = () => undefined;
  readonly ended = new Promise<Ended>((resolve) => {
    this.die = resolve;
  });

  stop(): Promise<void> {
    events.push('stop');
    this.die(STOPPED);
    return Promise.resolve();
  }
}

let events: string[] = [];
let lives: FakeLife[] = [];
let sleeps: (() => void)[] = [];
let launching: () => Promise<FakeLife>;

beforeEach(() => {
  events = [];
  lives = [];
  sleeps = [];
  launching = () => {
    const life = new FakeLife();
    lives.push(life);
    return Promise.resolve(life);
  };
});

function supervisor(attempts = 2): Supervisor<FakeLife> {
  return new Supervisor<FakeLife>(
    {
      launch: () => {
        events.push('launch');
        return launching();
      },
      changed: (phase) => events.push(phase),
      crashed: (how, delay) => events.push(`crashed ${how.signal ?? ''} ${delay ?? 'enough'}`),
      failed: (error) => events.push(`failed ${String(error)}`),
      sleep: () => new Promise((resolve) => sleeps.push(resolve)),
    },
    new RestartPolicy(() => 0, { attempts, window: 1000, firstDelay: 10 }),
  );
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

async function crash(): Promise<void> {
  lives.at(-1)?.die(KILLED);
  await settled();
}

async function wake(): Promise<void> {
  sleeps.pop()?.();
  await settled();
}

test('a server that crashes is started again, each time later, until it is enough', async () => {
  const tested = supervisor();
  await tested.start();
  await crash();
  await wake();
  await crash();
  await wake();
  await crash();
  expect(events.filter((event) => event.startsWith('crashed'))).toEqual([
    'crashed SIGKILL 10',
    'crashed SIGKILL 20',
    'crashed SIGKILL enough',
  ]);
  expect(lives).toHaveLength(3);
  expect(sleeps).toEqual([]);
  expect(tested.phase).toBe('stopped');
});

test('a restart by hand brings back what stays down', async () => {
  const tested = supervisor(0);
  await tested.start();
  await crash();
  await tested.restart();
  expect(tested.phase).toBe('running');
});

test('stopping it is no crash', async () => {
  const tested = supervisor();
  await tested.start();
  await tested.stop();
  await settled();
  expect(events).toEqual(['starting', 'launch', 'running', 'stop', 'stopped']);
});

test('one that is stopped while it waits to be started again stays down', async () => {
  const tested = supervisor();
  await tested.start();
  await crash();
  await tested.stop();
  await wake();
  expect(lives).toHaveLength(1);
  expect(tested.phase).toBe('stopped');
});

test('a restart while it waits to be started again starts one server, not two', async () => {
  const tested = supervisor();
  await tested.start();
  await crash();
  await tested.restart();
  await wake();
  expect(lives).toHaveLength(2);
});

test('what fails by itself is told, and not tried again', async () => {
  launching = () => Promise.reject(new EndedEarly(EXITED));
  const tested = supervisor();
  await tested.start();
  expect(events.at(-1)).toBe(
    'failed Error: The server ended with code 3. Its last words: no such module',
  );
  expect(sleeps).toEqual([]);
});

test('a server that is killed while it starts is tried again', async () => {
  launching = () => Promise.reject(new EndedEarly(KILLED));
  const tested = supervisor();
  await tested.start();
  expect(events.at(-1)).toBe('crashed SIGKILL 10');
  expect(tested.phase).toBe('waiting');
});

test('who asks for the server gets the next one, or hears that there is none', async () => {
  const tested = supervisor(1);
  await expect(tested.running()).rejects.toThrow('does not run');
  await tested.start();
  await crash();
  const asked = tested.running();
  await wake();
  expect(await asked).toBe(lives.at(-1));
  await crash();
  await expect(tested.running()).rejects.toThrow('does not run');
});
