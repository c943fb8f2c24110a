import { beforeEach, expect, test } from 'vitest';
import { Uri, window, workspace } from 'vscode';

import { Folders } from '../src/folders';
import { Statuses } from '../src/statuses';
import { statusOf } from './examples';

const API = { uri: Uri.parse('file:/api'), name: 'api', index: 0 };
const WEB = { uri: Uri.parse('file:/web'), name: 'web', index: 1 };
const REMOTE = { uri: Uri.parse('vscode-vfs:/far'), name: 'far', index: 2 };

const stub = { window, workspace } as unknown as {
  window: { activeTextEditor: unknown; picked: unknown };
  workspace: { workspaceFolders: unknown[] };
};

function opened(...open: unknown[]): Folders {
  stub.workspace.workspaceFolders = open;
  const statuses = new Statuses();
  statuses.update(statusOf({ workspaceFolder: 'file:/api', sessionId: 'a', state: 'running' }));
  statuses.update(statusOf({ workspaceFolder: 'file:/web', sessionId: 'w' }));
  return new Folders(statuses, ({ scheme }) =>
    scheme === 'perdure-approval' ? 'file:/web' : undefined,
  );
}

function lookAt(uri: string): void {
  stub.window.activeTextEditor = { document: { uri: Uri.parse(uri) } };
}

beforeEach(() => {
  stub.window.activeTextEditor = undefined;
  stub.window.picked = undefined;
});

test.each([
  ['a file', 'file:/web/a.txt'],
  ['a transcript', 'perdure:/w.md'],
  ['what waits for approval', 'perdure-approval:/1/command.sh'],
])('the folder of %s that is looked at is meant, then and afterwards', async (_, uri) => {
  const folders = opened(API, WEB);
  expect(folders.current()).toBe('file:/api');
  lookAt(uri);
  expect([folders.current(), await folders.choose()]).toEqual(['file:/web', 'file:/web']);
  lookAt('untitled:Untitled-1');
  expect(folders.current()).toBe('file:/web');
});

test.each(['untitled:Untitled-1', 'perdure:/unknown.md', 'file:/elsewhere/a.txt'])(
  'at %s the user chooses, and that is the folder from then on',
  async (uri) => {
    const folders = opened(API, WEB);
    const told: unknown[] = [];
    folders.onChosen(() => told.push(folders.current()));
    lookAt(uri);
    expect(await folders.choose()).toBeUndefined();
    stub.window.picked = WEB;
    expect(await folders.choose()).toBe('file:/web');
    expect(told).toEqual(['file:/web']);
  },
);

test('the only folder is not asked about, and needs no name', async () => {
  const folders = opened(API, REMOTE);
  expect(await folders.choose()).toBe('file:/api');
  expect(folders.placeOf('a')).toEqual({ uri: 'file:/api', name: undefined });
  expect(folders.elsewhere()).toEqual([]);
  expect(await opened().choose()).toBeUndefined();
});

test('of several each has its name, and how the others stand is known', () => {
  const folders = opened(API, WEB);
  expect(folders.placeOf('w')).toEqual({ uri: 'file:/web', name: 'web' });
  expect(folders.placeOf('unknown')).toBeUndefined();
  expect(folders.elsewhere('file:/web')).toEqual([
    { uri: 'file:/api', name: 'api', state: 'running' },
  ]);
});

test('a folder that was closed is not meant any more', async () => {
  const folders = opened(API, WEB);
  lookAt('file:/web/a.txt');
  expect(folders.current()).toBe('file:/web');
  stub.workspace.workspaceFolders = [API];
  expect(folders.current()).toBe('file:/api');
  expect(folders.isOpen('file:/web')).toBe(false);
  lookAt('perdure:/w.md');
  expect(await folders.choose()).toBe('file:/api');
});
