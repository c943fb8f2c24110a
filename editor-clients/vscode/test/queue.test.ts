import { expect, test } from 'vitest';

import { Queue } from '../src/server/queue';

function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

test('tasks never overlap, and run in the order in which they came', async () => {
  const queue = new Queue();
  const events: string[] = [];
  const first = gate();
  const tasks = [
    queue.run(async () => {
      events.push('first begins');
      await first.passed;
      events.push('first ends');
    }),
    queue.run(() => {
      events.push('second');
      return Promise.resolve();
    }),
  ];
  await Promise.resolve();
  first.open();
  await Promise.all(tasks);
  expect(events).toEqual(['first begins', 'first ends', 'second']);
});

test('a task that fails fails for its caller alone', async () => {
  const queue = new Queue();
  const failing = queue.run(() => Promise.reject(new Error('no')));
  const next = queue.run(() => Promise.resolve('done'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('tasks of one name are one until it begins, and another one after that', async () => {
  const queue = new Queue();
  const running = gate();
  let count = 0;
  const task = async (): Promise<void> => {
    count += 1;
    await running.passed;
  };
  const before = [queue.join('restart', task), queue.join('restart', task)];
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(count).toBe(1);
  const after = queue.join('restart', task);
  running.open();
  await Promise.all([...before, after]);
  expect(count).toBe(2);
});
