import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { UndoneFile } from '../protocol';
import type { Agent } from '../server/agent';
import { fileOf, type ChangeNode, type ChangesTree } from '../views/changes';
import type { DiffDocuments } from '../views/diffDocuments';
import { asDiff } from '../views/lastRun';
import { folderOf, inFolder } from './given';
import type { Handler } from './register';

/** Commands on what a run changed. */
export function changeCommands(
  agent: Agent,
  folders: Folders,
  tree: ChangesTree,
  diffs: DiffDocuments,
): Record<string, Handler> {
  return {
    showChanges: async (given) => {
      const workspaceFolder = folderOf(given) ?? folders.current();
      const text = workspaceFolder === undefined ? '' : asDiff(await tree.ofRun(workspaceFolder));
      if (text === '') {
        tell('information', vscode.l10n.t('The run has changed nothing.'));
        return;
      }
      await diffs.show(vscode.l10n.t('Changes of the run'), text);
    },
    showChange: async (node) => {
      const { change } = node as ChangeNode;
      const text =
        change.diff === '' ? `# ${vscode.l10n.t('The contents were not kept.')}\n` : change.diff;
      await diffs.show(change.path, text);
    },
    openChangedFile: (node) => {
      const { workspaceFolder, change } = node as ChangeNode;
      return vscode.window.showTextDocument(fileOf(workspaceFolder, change));
    },
    undo: async (given) => {
      const argument = inFolder(given);
      const { outcome, files, commands } = await agent.execute('perdure.undo', argument);
      const parts = files.map(({ path, outcome: became }) => `${path} ${undone(became)}`);
      if (outcome === 'nothing') {
        const why = parts.length === 0 ? [] : [`${parts.join(', ')}.`];
        tell('information', [vscode.l10n.t('There is nothing to undo.'), ...why].join(' '));
      } else if (outcome === 'undone') {
        const left =
          commands.length === 0 ? [] : [vscode.l10n.t('Commands left: {0}.', commands.length)];
        tell('information', [vscode.l10n.t('Undone: {0}.', parts.join(', ')), ...left].join(' '));
      }
      tree.refresh();
    },
  };
}

function undone(outcome: UndoneFile['outcome']): string {
  switch (outcome) {
    case 'restored':
      return vscode.l10n.t('restored');
    case 'removed':
      return vscode.l10n.t('removed');
    case 'changedSince':
      return vscode.l10n.t('left alone, since it was changed');
    case 'alreadyReverted':
      return vscode.l10n.t('was so already');
    case 'failed':
      return vscode.l10n.t('could not be restored');
  }
}
