import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { Attachment, Status } from '../protocol';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import type { Handler } from './register';

/**
 * Ask for a prompt and send it; what could not be sent is offered again the next time. `opened` is
 * called when the transcript has been opened, perhaps over something else.
 */
export function promptCommands(
  agent: Agent,
  folders: Folders,
  opened: () => Promise<void>,
): Record<string, Handler> {
  let unsent = '';

  async function prompt(given: unknown, attachments: Attachment[]): Promise<void> {
    const workspaceFolder = await folders.choose();
    if (workspaceFolder === undefined) {
      tell('information', 'Open a folder first: Perdure works in it.');
      return;
    }
    const status = await agent.execute('perdure.status', { workspaceFolder });
    const text = typeof given === 'string' ? given : await ask(status, unsent, attachments);
    if (text === undefined || text.trim() === '') {
      return;
    }
    unsent = text;
    const queue = status.operation !== null;
    const argument = { workspaceFolder, text, queue, attachments };
    const { sessionId, position } = await agent.execute('perdure.prompt', argument);
    unsent = '';
    if (position !== undefined) {
      tell('information', `The prompt waits at place ${position}.`);
    }
    const how = vscode.workspace.getConfiguration('perdure').get('transcript.open');
    if (how === 'source' || how === 'preview') {
      await showTranscript(sessionId, how, true);
      await opened();
    }
  }

  return {
    prompt: (given) => prompt(given, []),
    promptSelection: () => prompt(undefined, selected(vscode.window.activeTextEditor)),
  };
}

/** The selection of an editor, or its whole file where nothing is selected. */
function selected(editor: vscode.TextEditor | undefined): Attachment[] {
  if (editor === undefined) {
    return [];
  }
  const { document, selection } = editor;
  const uri = document.uri.toString();
  if (selection.isEmpty) {
    return [{ kind: 'file', uri }];
  }
  const { start, end } = selection;
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  return [{ kind: 'selection', uri, range, text: document.getText(selection) }];
}

function ask(
  status: Status,
  value: string,
  attachments: readonly Attachment[],
): Thenable<string | undefined> {
  const what = attachments.map(({ kind, uri }) => `${kind} ${uri.split('/').at(-1) ?? ''}`);
  return vscode.window.showInputBox({
    title: ['Perdure: Prompt', ...what].join(' · '),
    placeHolder: 'What is to be done?',
    prompt: explanation(status),
    value,
    ignoreFocusOut: true,
  });
}

function explanation({ state, model }: Status): string {
  const name = `${model.name} (${model.provider})`;
  switch (state) {
    case 'running':
    case 'waitingForApproval':
      return `Waits until the present run has ended. ${name}`;
    case 'suspended':
    case 'blocked':
      return `Waits until the unfinished run is resumed or aborted. ${name}`;
    case 'none':
    case 'idle':
    case 'unavailable':
      return name;
  }
}
