import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell, tellBlocked } from '../notifications';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import type { Handler } from './register';

/** Commands on the current session, except those that have modules of their own. */
export function sessionCommands(agent: Agent, folders: Folders): Record<string, Handler> {
  async function show(how: 'source' | 'preview'): Promise<void> {
    const { sessionId } = await agent.execute('perdure.status', {});
    if (sessionId === null) {
      tell('information', 'There is no session here yet.');
      return;
    }
    await showTranscript(sessionId, how, false);
  }

  return {
    abort: async () => {
      const { outcome } = await agent.execute('perdure.abort', {});
      if (outcome === 'idle') {
        tell('information', 'Nothing runs.');
      }
    },
    resume: async () => {
      const result = await agent.execute('perdure.resume', {});
      tellBlocked(result);
      if (result.outcome === 'idle') {
        tell('information', 'Nothing is unfinished.');
      }
    },
    continueRun: () => agent.execute('perdure.continue', {}),
    compact: async () => {
      const { outcome } = await agent.execute('perdure.compact', {});
      if (outcome === 'nothing_to_compact') {
        tell('information', 'There is nothing to compact yet.');
      }
    },
    newSession: async () => {
      const workspaceFolder = await folders.choose();
      const { sessionId } = await agent.execute('perdure.newSession', optional(workspaceFolder));
      if (sessionId !== null) {
        await showTranscript(sessionId, 'source', false);
      }
    },
    takeOver: () => agent.execute('perdure.takeOver', {}),
    explain: () => agent.execute('perdure.showChanged', {}),
    showTranscript: () => show('source'),
    showPreview: (uri) =>
      uri instanceof vscode.Uri
        ? vscode.commands.executeCommand('markdown.showPreviewToSide', uri)
        : show('preview'),
    showSessionFile: () => agent.execute('perdure.showLog', {}),
  };
}

function optional(workspaceFolder: string | undefined): { workspaceFolder?: string } {
  return workspaceFolder === undefined ? {} : { workspaceFolder };
}
