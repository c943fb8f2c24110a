import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import type { SessionNode } from '../views/sessions';
import { sessionDescription, sessionIcon } from '../views/sessionText';
import { folderOf } from './given';
import type { Handler } from './register';

/** Commands on the sessions of a folder. */
export function treeCommands(
  agent: Agent,
  folders: Folders,
  refresh: () => void,
): Record<string, Handler> {
  async function open({ workspaceFolder, session }: SessionNode): Promise<void> {
    const { sessionId } = session;
    await agent.execute('perdure.openSession', { workspaceFolder, sessionId });
    await showTranscript(sessionId, 'source', false);
    refresh();
  }

  return {
    openSession: async (given) => {
      const workspaceFolder = folderOf(given) ?? (await folders.choose());
      const node = workspaceFolder && (await chooseSession(agent, workspaceFolder));
      if (node) {
        await open(node);
      }
    },
    openTreeSession: (node) => open(node as SessionNode),
    showTreeTranscript: (node) =>
      showTranscript((node as SessionNode).session.sessionId, 'source', false),
    renameSession: async (node) => {
      const { workspaceFolder, session } = node as SessionNode;
      const title = await vscode.window.showInputBox({
        title: vscode.l10n.t('Rename Session'),
        prompt: vscode.l10n.t('Empty brings the first prompt back.'),
        value: session.title,
      });
      if (title !== undefined) {
        const { sessionId } = session;
        await agent.execute('perdure.renameSession', { workspaceFolder, sessionId, title });
        refresh();
      }
    },
    deleteSession: async (node) => {
      const { workspaceFolder, session } = node as SessionNode;
      const { sessionId } = session;
      await agent.execute('perdure.deleteSession', { workspaceFolder, sessionId });
      refresh();
    },
    refresh,
  };
}

async function chooseSession(
  agent: Agent,
  workspaceFolder: string,
): Promise<SessionNode | undefined> {
  const { sessions } = await agent.execute('perdure.sessions', { workspaceFolder });
  if (sessions.length === 0) {
    tell('information', vscode.l10n.t('There is no session here yet.'));
    return undefined;
  }
  const items = sessions.map((session) => ({
    label: `$(${sessionIcon(session.state)}) ${session.title}`,
    description: sessionDescription(session, Date.now()),
    node: { workspaceFolder, session },
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('The session to open'),
    matchOnDescription: true,
  });
  return chosen?.node;
}
