import * as vscode from 'vscode';

import type { Folders } from '../folders';
import { tell } from '../notifications';
import type { Attachment, Status } from '../protocol';
import type { Agent } from '../server/agent';
import { showTranscript } from '../transcript/documents';
import { folderOf } from './given';
import type { Handler } from './register';

/**
 * Ask for a prompt and send it; what could not be sent is offered again the next time. `opened` is
 * called when the transcript has been opened, perhaps over something else.
 */
export function promptCommands(
  agent: Agent,
  folders: Folders,
  opened: (folder: string) => Promise<void>,
): Record<string, Handler> {
  let unsent = '';

  async function prompt(given: unknown, attachments: Attachment[]): Promise<void> {
    if (folders.open().length === 0) {
      tell('information', vscode.l10n.t('Open a folder first: Perdure works in it.'));
      return;
    }
    const workspaceFolder = folderOf(given) ?? (await folders.choose());
    if (workspaceFolder === undefined) {
      return;
    }
    const status = await agent.execute('perdure.status', { workspaceFolder });
    const folder = folders.nameOf(workspaceFolder);
    const text =
      typeof given === 'string' ? given : await ask(status, { value: unsent, attachments, folder });
    if (text === undefined || text.trim() === '') {
      return;
    }
    unsent = text;
    const queue = status.operation !== null;
    const argument = { workspaceFolder, text, queue, attachments };
    const { sessionId, position } = await agent.execute('perdure.prompt', argument);
    unsent = '';
    if (position !== undefined) {
      tell('information', vscode.l10n.t('The prompt waits at place {0}.', position));
    }
    const how = vscode.workspace.getConfiguration('perdure').get('transcript.open');
    if (how === 'source' || how === 'preview') {
      await showTranscript(sessionId, how, true);
      await opened(workspaceFolder);
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
  given: {
    readonly value: string;
    readonly attachments: readonly Attachment[];
    readonly folder: string | undefined;
  },
): Thenable<string | undefined> {
  const { value, attachments, folder } = given;
  const what = [...(folder === undefined ? [] : [folder]), ...attachments.map(nameOf)];
  return vscode.window.showInputBox({
    title: [`Perdure: ${vscode.l10n.t('Prompt')}`, ...what].join(' · '),
    placeHolder: vscode.l10n.t('What is to be done?'),
    prompt: explanation(status),
    value,
    ignoreFocusOut: true,
  });
}

function nameOf({ kind, uri }: Attachment): string {
  const name = uri.split('/').at(-1) ?? '';
  return kind === 'selection'
    ? vscode.l10n.t('selection of {0}', name)
    : vscode.l10n.t('file {0}', name);
}

function explanation({ state, model }: Status): string {
  const name = `${model.name} (${model.provider})`;
  switch (state) {
    case 'running':
    case 'waitingForApproval':
      return `${vscode.l10n.t('Waits until the present run has ended.')} ${name}`;
    case 'suspended':
    case 'blocked':
      return `${vscode.l10n.t('Waits until the unfinished run is resumed or aborted.')} ${name}`;
    case 'none':
    case 'idle':
    case 'unavailable':
      return name;
  }
}
