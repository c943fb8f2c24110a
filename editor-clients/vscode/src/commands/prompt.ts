import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { Status } from '../protocol';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import type { Handler } from './register';

/** Asks for a prompt and sends it; what could not be sent is offered again the next time. */
export function promptCommand(agent: Agent, folders: Folders): Handler {
  let unsent = '';

  return async (given) => {
    const workspaceFolder = await folders.choose();
    if (workspaceFolder === undefined) {
      tell('information', 'Open a folder first: Perdure works in it.');
      return;
    }
    const status = await agent.execute('perdure.status', { workspaceFolder });
    const text = typeof given === 'string' ? given : await ask(status, unsent);
    if (text === undefined || text.trim() === '') {
      return;
    }
    unsent = text;
    const queue = status.operation !== null;
    const result = await agent.execute('perdure.prompt', { workspaceFolder, text, queue });
    unsent = '';
    if (result.position !== undefined) {
      tell('information', `The prompt waits at place ${result.position}.`);
    }
    const how = vscode.workspace.getConfiguration('perdure').get('transcript.open');
    if (how === 'source' || how === 'preview') {
      await showTranscript(result.sessionId, how, true);
    }
  };
}

function ask(status: Status, value: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: 'Perdure: Prompt',
    placeHolder: 'What is to be done?',
    prompt: explanation(status),
    value,
    ignoreFocusOut: true,
  });
}

function explanation(status: Status): string {
  const model = `${status.model.name} (${status.model.provider})`;
  switch (status.state) {
    case 'running':
    case 'waitingForApproval':
      return `Waits until the present run has ended. ${model}`;
    case 'suspended':
    case 'blocked':
      return `Waits until the unfinished run is resumed or aborted. ${model}`;
    case 'none':
    case 'idle':
    case 'unavailable':
      return model;
  }
}
