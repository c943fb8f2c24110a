import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { SERVER_KEYS, serverSettings, type Configuration } from '../src/settings';

function configuration(values: Record<string, unknown>): Configuration {
  return {
    get: (key) => values[key] ?? 'the default of the editor',
    inspect: (key) => (key in values ? { workspaceValue: values[key] } : {}),
  };
}

test('only what is set is sent, nested as the server expects it', () => {
  const values = { resume: 'ask', 'model.name': 'gpt-5', 'model.contextWindow': 0 };
  expect(serverSettings(configuration(values), true)).toEqual({
    trusted: true,
    resume: 'ask',
    model: { name: 'gpt-5', contextWindow: 0 },
  });
});

test('the server hears that a workspace is not trusted', () => {
  expect(serverSettings(configuration({}), false)).toEqual({ trusted: false });
});

test('what the editor does not let through is not sent', () => {
  const restricted: Configuration = {
    get: () => undefined,
    inspect: () => ({ workspaceValue: 'from the workspace' }),
  };
  expect(JSON.stringify(serverSettings(restricted, false))).toBe('{"trusted":false}');
});

interface Manifest {
  contributes: {
    configuration: { properties: Record<string, { scope?: string }> }[];
    commands: { command: string }[];
  };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const properties = Object.assign(
  {},
  ...manifest.contributes.configuration.map((section) => section.properties),
) as Manifest['contributes']['configuration'][number]['properties'];

test('every setting of the server can be set in the editor', () => {
  const missing = SERVER_KEYS.filter((key) => !(`perdure.${key}` in properties));
  expect(missing).toEqual([]);
});

test.each(['model.baseUrl', 'model.apiKeyEnv', 'approval.bash', 'approval.write', 'mcp.servers'])(
  'a workspace cannot set %s',
  (key) => {
    expect(['application', 'machine']).toContain(properties[`perdure.${key}`]?.scope);
  },
);
