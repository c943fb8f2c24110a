import type { Json } from './protocol';

/** The keys of section `perdure` that belong to the server; the others are the extension's own. */
export const SERVER_KEYS = [
  'model.provider',
  'model.name',
  'model.baseUrl',
  'model.apiKeyEnv',
  'model.contextWindow',
  'model.maxOutputTokens',
  'model.requestTimeoutSeconds',
  'model.thinking',
  'model.prices',
  'resume',
  'approval.bash',
  'approval.write',
  'approval.edit',
  'approval.fetch',
  'compaction.auto',
  'compaction.threshold',
  'tools.fetch',
  'tools.sandbox',
  'tools.network',
  'maskSecrets',
  'mcp.servers',
  'durability',
  'runningCommands',
  'sessionsDir',
] as const;

/** Those that only take effect when the server starts, or say which one is started. */
export const RESTART_KEYS = ['server.command', 'interpreter', 'model.apiKeyEnv', 'sessionsDir'];

/** The part of `WorkspaceConfiguration` that is needed here. */
export interface Configuration {
  get(key: string): unknown;
  inspect(key: string): Inspected | undefined;
}

interface Inspected {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

export type ServerSettings = Record<string, Json>;

/**
 * The settings that the server gets. Only what somebody has set is sent: a default of the editor
 * would hide what the user's own `config.toml` says.
 */
export function serverSettings(configuration: Configuration, trusted: boolean): ServerSettings {
  const settings: ServerSettings = { trusted };
  for (const key of SERVER_KEYS) {
    const value = configuration.get(key);
    if (isSet(configuration.inspect(key)) && value !== undefined) {
      put(settings, key.split('.'), value as Json);
    }
  }
  return settings;
}

function isSet(inspected: Inspected | undefined): boolean {
  const values = [
    inspected?.globalValue,
    inspected?.workspaceValue,
    inspected?.workspaceFolderValue,
  ];
  return values.some((value) => value !== undefined);
}

function put(into: ServerSettings, path: readonly string[], value: Json): void {
  const [first, ...rest] = path;
  if (first === undefined) {
    return;
  }
  if (rest.length === 0) {
    into[first] = value;
    return;
  }
  const section = (into[first] ?? {}) as ServerSettings;
  into[first] = section;
  put(section, rest, value);
}
