import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

interface Menu {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly Menu[]>>;
    readonly walkthroughs: readonly { readonly steps: readonly unknown[] }[];
  };
}

const text = readFileSync('package.json', 'utf8');
const { contributes } = JSON.parse(text) as Manifest;
const words = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(name, 'utf8')) as Record<string, string>;
const protocol = readFileSync('src/protocol.ts', 'utf8');

test.each(['package.nls.json', 'package.nls.zh-tw.json'])('%s has every text', (name) => {
  const used = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key);
  expect(Object.keys(words(name)).sort()).toEqual([...new Set(used)].sort());
});

test('links and code of the texts are the same in both languages', () => {
  const [english, chinese] = [words('package.nls.json'), words('package.nls.zh-tw.json')];
  const links = (value = ''): string[] => (value.match(/\(command:[^)]+\)|`#[^`]+`/g) ?? []).sort();
  for (const [key, value] of Object.entries(english)) {
    expect([key, links(chinese[key])]).toEqual([key, links(value)]);
  }
});

test('the commands of menus and texts exist', () => {
  const own = new Set(contributes.commands.map(({ command }) => command));
  const menus = Object.values(contributes.menus).flat();
  const linked = Object.values(words('package.nls.json')).flatMap((value) =>
    [...value.matchAll(/command:(perdure\.[\w.]+)/g)].map(([, command = '']) => command),
  );
  const used = [...menus.map(({ command }) => command), ...linked];
  expect(used.filter((command) => !own.has(command))).toEqual([]);
});

test("no command has the name of one of the server's, which the client registers too", () => {
  const clashes = contributes.commands.filter(({ command }) => protocol.includes(`'${command}':`));
  expect(clashes).toEqual([]);
  expect(protocol).toContain("'perdure.prompt':");
});

test('the walkthrough has five steps', () => {
  expect(contributes.walkthroughs.map(({ steps }) => steps.length)).toEqual([5]);
});
