import { beforeEach, expect, test } from 'vitest';
import { Uri, window, workspace } from 'vscode';

import { ApprovalDesk } from '../src/approvals/desk';
import { ApprovalDocuments } from '../src/approvals/documents';
import { PendingApprovals } from '../src/approvals/pending';
import { Folders } from '../src/folders';
import { Statuses } from '../src/statuses';
import { APPROVAL, requestOf, statusOf } from './examples';

const NAMES = ['api', 'web', 'docs'];

const stub = { window, workspace } as unknown as {
  window: { picked: unknown; messages: string[] };
  workspace: { workspaceFolders: unknown[] };
};

/** A desk with a question of each of the folders that are named; the current folder is `api`. */
function deskOf(...asking: string[]) {
  const statuses = new Statuses();
  for (const name of NAMES) {
    statuses.update(statusOf({ workspaceFolder: `file:/${name}`, sessionId: name }));
  }
  const pending = new PendingApprovals();
  const late: unknown[] = [];
  const desk = new ApprovalDesk(
    pending,
    new ApprovalDocuments(pending),
    undefined as never,
    new Folders(statuses, () => undefined),
    (argument) => Promise.resolve(late.push(argument)),
  );
  const answers = new Map<string, unknown>();
  for (const name of asking) {
    const request = requestOf({ approvalId: `${name}:0`, sessionId: name });
    void desk.ask(request).then((answer) => answers.set(name, answer));
  }
  const run = async (command: string, given?: unknown): Promise<[string, unknown][]> => {
    await desk.commands()[command]?.(given);
    return [...answers];
  };
  return { run, statuses, pending, late };
}

beforeEach(() => {
  stub.window.picked = undefined;
  stub.window.messages = [];
  stub.workspace.workspaceFolders = NAMES.map((name) => ({
    uri: Uri.parse(`file:/${name}`),
    name,
  }));
});

test('a question names its folder', () => {
  deskOf('web');
  expect(stub.window.messages).toEqual(['Perdure (web): Allow bash: ls?']);
});

test.each<[string, string[], unknown, string]>([
  ['the current folder', ['web', 'api'], undefined, 'api'],
  ['the only one that asks', ['web'], undefined, 'web'],
  ['the folder that is given', ['api', 'web'], { workspaceFolder: 'file:/web' }, 'web'],
  ['the item that is given', ['api', 'web'], { key: '2' }, 'web'],
])('a decision is about %s', async (_, asking, given, decided) => {
  expect(await deskOf(...asking).run('allow', given)).toEqual([[decided, { decision: 'allow' }]]);
});

test('where two other folders ask, the user says which one is meant, or decides nothing', async () => {
  const { run } = deskOf('web', 'docs');
  expect(await run('deny')).toEqual([]);
  stub.window.picked = 'docs';
  expect(await run('deny')).toEqual([['docs', { decision: 'deny' }]]);
});

test('what is gone decides nothing else', async () => {
  const { run } = deskOf('api');
  expect(await run('allow', { key: '7' })).toEqual([]);
  expect(await run('allow', Uri.parse('perdure-approval:/7/command.sh'))).toEqual([]);
  expect(stub.window.messages.slice(1)).toEqual([
    'This does not wait for approval any more.',
    'This does not wait for approval any more.',
  ]);
});

test('a decision for which no request waits any more is told to the folder', async () => {
  const { run, statuses, late } = deskOf();
  statuses.update(statusOf({ workspaceFolder: 'file:/api', approval: APPROVAL }));
  await run('allow');
  expect(late).toEqual([{ workspaceFolder: 'file:/api', approvalId: 'a1:0', decision: 'allow' }]);
});
