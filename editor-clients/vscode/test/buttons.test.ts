import { expect, test } from 'vitest';

import { buttons, sentence } from '../src/buttons';
import type { Action } from '../src/protocol';

const action = (title: string, command: string): Action => ({ title, command, arguments: [] });
const RESUME = action('Resume (after restoring what was recorded)', 'perdure.resume');
const RECORDED = action('Resume with the recorded configuration', 'perdure.resumeRecorded');
const SHOW = action('Show what changed', 'perdure.showChanged');
const ABORT = action('Abort the operation', 'perdure.abort');
const OTHER = action('Something that a later server offers', 'perdure.later');

test.each([
  ['few', [action('Take over', 'perdure.takeOver')], ['Take over', 'More…']],
  ['three', [RESUME, SHOW, ABORT], ['Resume', 'Show what changed', 'Abort', 'More…']],
  ['many', [RESUME, RECORDED, SHOW, ABORT], ['Resume', 'Resume as Recorded', 'More…']],
  ['none', [], ['More…']],
  ['unknown', [OTHER], [OTHER.title, 'More…']],
])('%s actions: what is not on a button is behind the last one', (_, actions, titles) => {
  expect(buttons(actions).map(({ title }) => title)).toEqual(titles);
});

test('a button runs its action as the server gave it', () => {
  const given = [{ workspaceFolder: 'file:///work' }];
  const [first] = buttons([{ ...ABORT, arguments: given }]);
  expect(first).toEqual({ title: 'Abort', command: 'perdure.abort', arguments: given });
});

test('the last button shows the actions of the folder that the message is about', () => {
  expect(buttons([], 'file:///web')).toEqual([
    {
      title: 'More…',
      command: 'perdure.editor.showActions',
      arguments: [{ workspaceFolder: 'file:///web' }],
    },
  ]);
});

test('a reason names the first thing that differs, if that is short', () => {
  const title = 'The configuration is another one.';
  const because = (recorded: string): string =>
    sentence({
      code: 'c',
      title,
      actions: [],
      details: [{ field: 'model', recorded, current: 'b' }],
    });
  expect(because('a')).toBe('The configuration is another one (model: a → b).');
  expect(because('a'.repeat(80))).toBe(title);
  expect(sentence({ code: 'c', title, actions: [], details: [] })).toBe(title);
});
