import { expect, test } from 'vitest';

import { Follower } from '../src/transcript/follow';

test('a new view follows, and one that the user scrolls up does not', () => {
  const follower = new Follower();
  follower.scrolled(60, 99, 100);
  expect(follower.follows).toBe(true);
  follower.scrolled(50, 89, 100);
  expect(follower.follows).toBe(false);
});

test('text that grows faster than it is shown does not end the following', () => {
  const follower = new Follower();
  follower.scrolled(60, 99, 100);
  follower.scrolled(110, 149, 200);
  expect(follower.follows).toBe(true);
});

test('at the end it follows again', () => {
  const follower = new Follower();
  follower.scrolled(60, 99, 100);
  follower.scrolled(0, 39, 100);
  follower.scrolled(60, 98, 100);
  expect(follower.follows).toBe(true);
});
