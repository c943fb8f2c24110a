import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell, tellBlocked } from '../notifications';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import { folderOf, inFolder } from './given';
import type { Handler } from './register';

/** Commands on the current session, except those that have modules of their own. */
export function sessionCommands(agent: Agent, folders: Folders): Record<string, Handler> {
  async function show(how: 'source' | 'preview', given?: unknown): Promise<void> {
    const { sessionId } = await agent.execute('perdure.status', inFolder(given));
    if (sessionId === null) {
      tell('information', vscode.l10n.t('There is no session here yet.'));
      return;
    }
    await showTranscript(sessionId, how, false);
  }

  return {
    abort: async (given) => {
      const { outcome } = await agent.execute('perdure.abort', inFolder(given));
      if (outcome === 'idle') {
        tell('information', vscode.l10n.t('Nothing runs.'));
      }
    },
    resume: async (given) => {
      const result = await agent.execute('perdure.resume', inFolder(given));
      tellBlocked(result);
      if (result.outcome === 'idle') {
        tell('information', vscode.l10n.t('Nothing is unfinished.'));
      }
    },
    continueRun: (given) => agent.execute('perdure.continue', inFolder(given)),
    compact: async (given) => {
      const { outcome } = await agent.execute('perdure.compact', inFolder(given));
      if (outcome === 'nothing_to_compact') {
        tell('information', vscode.l10n.t('There is nothing to compact yet.'));
      }
    },
    newSession: async (given) => {
      const workspaceFolder = folderOf(given) ?? (await folders.choose());
      if (workspaceFolder === undefined) {
        return;
      }
      const { sessionId } = await agent.execute('perdure.newSession', { workspaceFolder });
      if (sessionId !== null) {
        await showTranscript(sessionId, 'source', false);
      }
    },
    takeOver: (given) => agent.execute('perdure.takeOver', inFolder(given)),
    explain: (given) => agent.execute('perdure.showChanged', inFolder(given)),
    showTranscript: (given) => show('source', given),
    showPreview: (uri) =>
      uri instanceof vscode.Uri
        ? vscode.commands.executeCommand('markdown.showPreviewToSide', uri)
        : show('preview'),
    showSessionFile: (given) => agent.execute('perdure.showLog', inFolder(given)),
  };
}
