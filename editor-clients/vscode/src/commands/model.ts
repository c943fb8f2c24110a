import * as vscode from 'vscode';

import type { OfferedModel } from '../protocol';
import type { Agent } from '../server/agent';
import { compact } from '../status/text';

/** Let the user choose among the models of the endpoint; the choice is the user's setting. */
export async function chooseModel(agent: Agent): Promise<void> {
  const { endpoint, models } = await agent.execute('perdure.models', {});
  const items = models.map((model) => ({
    label: `${model.current ? '$(check) ' : ''}${model.name}`,
    description: windowOf(model),
    name: model.name,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('A model of {0}, from the next run on', endpoint),
  });
  if (chosen !== undefined) {
    const configuration = vscode.workspace.getConfiguration('perdure');
    await configuration.update('model.name', chosen.name, vscode.ConfigurationTarget.Global);
  }
}

function windowOf({ contextWindow }: OfferedModel): string {
  return contextWindow === null ? '' : vscode.l10n.t('{0} tokens', compact(contextWindow));
}
