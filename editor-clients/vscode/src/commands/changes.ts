import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { Agent } from '../server/agent';
import { fileOf, type ChangeNode, type ChangesTree } from '../views/changes';
import type { DiffDocuments } from '../views/diffDocuments';
import { asDiff } from '../views/lastRun';
import type { Handler } from './register';

/** Commands on what a run changed. */
export function changeCommands(
  agent: Agent,
  folders: Folders,
  tree: ChangesTree,
  diffs: DiffDocuments,
): Record<string, Handler> {
  return {
    showChanges: async () => {
      const workspaceFolder = folders.current();
      const text = workspaceFolder === undefined ? '' : asDiff(await tree.ofRun(workspaceFolder));
      if (text === '') {
        tell('information', 'The run has changed nothing.');
        return;
      }
      await diffs.show('Changes of the run', text);
    },
    showChange: async (node) => {
      const { change } = node as ChangeNode;
      const text = change.diff === '' ? '# The contents were not kept.\n' : change.diff;
      await diffs.show(change.path, text);
    },
    openChangedFile: (node) => {
      const { workspaceFolder, change } = node as ChangeNode;
      return vscode.window.showTextDocument(fileOf(workspaceFolder, change));
    },
    undo: async () => {
      const { outcome, files, commands } = await agent.execute('perdure.undo', {});
      if (outcome === 'nothing') {
        tell('information', 'There is nothing to undo.');
      } else if (outcome === 'undone') {
        const parts = files.map(({ path, outcome: became }) => `${path} ${UNDONE[became]}`);
        const left = commands.length === 0 ? '' : ` Commands stay as they are: ${commands.length}.`;
        tell('information', `Undone: ${parts.join(', ')}.${left}`);
      }
      tree.refresh();
    },
  };
}

const UNDONE = {
  restored: 'restored',
  removed: 'removed',
  changedSince: 'left alone, since it was changed',
  alreadyReverted: 'was so already',
  failed: 'could not be restored',
} as const;
