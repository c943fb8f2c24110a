import { homedir } from 'node:os';
import * as vscode from 'vscode';

import type { Locator } from '../python/locate';
import type { ApiKeys } from '../secrets';
import { serverSettings, type ServerSettings } from '../settings';
import { Connection, type ConnectionOptions } from './connection';

/** Starts servers: finds the program, hands it keys and settings. */
export class Launcher {
  constructor(
    private readonly parts: Pick<
      ConnectionOptions,
      'log' | 'handlers' | 'nameOf' | 'showMessage' | 'commandDone' | 'commandFailed'
    > & { readonly locator: Locator; readonly keys: ApiKeys },
  ) {}

  async launch(): Promise<Connection> {
    const { locator, keys, ...others } = this.parts;
    return Connection.start({
      ...others,
      command: await locator.locate(),
      env: { ...process.env, ...(await keys.environment()) },
      cwd: homedir(),
      settings: currentSettings,
    });
  }
}

function currentSettings(): ServerSettings {
  const configuration = vscode.workspace.getConfiguration('perdure');
  return serverSettings(configuration, vscode.workspace.isTrusted);
}
