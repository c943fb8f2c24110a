import * as vscode from 'vscode';

import { tell } from '../notifications';
import type { Locator } from '../python/locate';
import type { ApiKeys, Vendor } from '../secrets';
import type { Connection } from '../server/connection';
import type { Supervisor } from '../server/supervisor';
import type { Handler } from './register';

/** Commands on the server itself. */
export function serverCommands(parts: {
  readonly supervisor: Supervisor<Connection>;
  readonly locator: Locator;
  readonly keys: ApiKeys;
  readonly log: vscode.LogOutputChannel;
  readonly isWorking: () => boolean;
}): Record<string, Handler> {
  const { supervisor, locator, keys, log } = parts;

  async function useNewKeys(): Promise<void> {
    if (!parts.isWorking() || (await mayInterrupt())) {
      await supervisor.restart();
    }
  }

  return {
    restartServer: () => supervisor.restart(),
    showLog: () => {
      log.show();
    },
    installServer: async () => {
      await locator.install();
      await supervisor.restart();
    },
    killServer: () => {
      supervisor.life?.kill();
    },
    setApiKey: async () => {
      const vendor = await chooseVendor(keys.vendors());
      const key = vendor && (await askKey(vendor));
      if (vendor !== undefined && key !== undefined && key !== '') {
        await keys.set(vendor, key);
        await useNewKeys();
        tell('information', vscode.l10n.t('The key for {0} is stored.', vendor.name));
      }
    },
    removeApiKey: async () => {
      const vendor = await chooseVendor(keys.vendors());
      if (vendor !== undefined) {
        await keys.remove(vendor);
        await useNewKeys();
      }
    },
    openWalkthrough: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'perdure.perdure#start'),
  };
}

async function chooseVendor(vendors: readonly Vendor[]): Promise<Vendor | undefined> {
  const items = vendors.map((vendor) => ({
    label: vendor.name,
    description: vendor.variable,
    vendor,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Whose key is it?'),
  });
  return chosen?.vendor;
}

function askKey(vendor: Vendor): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('API key for {0}', vendor.name),
    prompt: vscode.l10n.t(
      "Kept in the editor's secret storage; the server gets it as {0}.",
      vendor.variable,
    ),
    password: true,
    ignoreFocusOut: true,
  });
}

async function mayInterrupt(): Promise<boolean> {
  const restart = vscode.l10n.t('Restart Now');
  const message = vscode.l10n.t(
    'A run is at work. The server takes the new key when it starts; a restart now suspends the run.',
  );
  return (await vscode.window.showInformationMessage(message, restart)) === restart;
}
