import { l10n } from 'vscode';

import type { ApproveParams, CommandPreview, FilePreview } from '../protocol';
import type { Approval } from './pending';

/** What a notification shows in full; a longer command gets a document of its own. */
const MESSAGE_LENGTH = 300;

export function isFile(preview: ApproveParams['preview']): preview is FilePreview {
  return preview !== undefined && 'after' in preview;
}

export function isCommand(preview: ApproveParams['preview']): preview is CommandPreview {
  return preview !== undefined && 'command' in preview;
}

/** Whether the question needs a document: a change always does, a command when it is long. */
export function needsDocument({ preview }: ApproveParams): boolean {
  if (isCommand(preview)) {
    return preview.command.length > MESSAGE_LENGTH || preview.command.includes('\n');
  }
  return preview !== undefined;
}

/** The question, on one line. */
export function question(request: ApproveParams): string {
  const { preview, title, toolName, reason } = request;
  const what =
    isCommand(preview) && !needsDocument(request) ? `${toolName}: ${preview.command}` : title;
  return [l10n.t('Allow {0}?', what), ...(reason === undefined ? [] : [reason])].join(' ');
}

/** The title of what is shown for it, with the folder where there are several. */
export function titleOf({ request: { title }, place }: Approval): string {
  return place?.name === undefined ? title : `${title} (${place.name})`;
}

/** A command in full, as a shell script that says where it runs. */
export function commandDocument(request: ApproveParams, preview: CommandPreview): string {
  const { directory } = preview;
  const head = [
    ...(request.reason === undefined ? [] : [request.reason]),
    ...(directory === undefined ? [] : [l10n.t('Runs in {0}', directory)]),
  ];
  const comments = head.flatMap((text) => text.split('\n')).map((line) => `# ${line}`);
  return [...comments, ...(comments.length > 0 ? [''] : []), preview.command, ''].join('\n');
}
