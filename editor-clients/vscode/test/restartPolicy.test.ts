import { expect, test } from 'vitest';

import { RestartPolicy } from '../src/server/restartPolicy';

const LIMITS = { attempts: 3, window: 1000, firstDelay: 10 };

test('each crash waits longer, and the one after the last attempt stays down', () => {
  const policy = new RestartPolicy(() => 0, LIMITS);
  const delays = [1, 2, 3, 4, 5].map(() => policy.crashed());
  expect(delays).toEqual([10, 20, 40, undefined, undefined]);
});

test('a crash outside of the window does not count', () => {
  let now = 0;
  const policy = new RestartPolicy(() => now, LIMITS);
  policy.crashed();
  now = 600;
  policy.crashed();
  now = 1000;
  expect(policy.crashed()).toBe(20);
});

test('a restart by hand begins anew', () => {
  const policy = new RestartPolicy(() => 0, LIMITS);
  for (let crash = 0; crash < 4; crash += 1) {
    policy.crashed();
  }
  policy.reset();
  expect(policy.crashed()).toBe(10);
});
