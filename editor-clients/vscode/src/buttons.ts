import { l10n } from 'vscode';

import type { Action, BlockedInfo } from './protocol';

/** A button of a message, and the command that it runs. */
export interface Choice {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

const BUTTON_LENGTH = 18;
const DETAIL_LENGTH = 80;

/**
 * The first actions, with titles that fit on a button; the others are behind the last button, for
 * a folder, else for the current one.
 */
export function buttons(actions: readonly Action[], workspaceFolder?: string): Choice[] {
  const first = actions.slice(0, actions.length > 3 ? 2 : 3);
  const more = {
    title: l10n.t('More…'),
    command: 'perdure.editor.showActions',
    arguments: [{ workspaceFolder }],
  };
  return [...first.map(choiceOf), more];
}

/** Why work stands still, with the first thing that differs where it fits. */
export function sentence({ title, details: [detail] }: BlockedInfo): string {
  const what = detail && `${detail.field}: ${detail.recorded} → ${detail.current}`;
  const fits = what !== undefined && what.length < DETAIL_LENGTH;
  return fits ? `${title.replace(/\.$/, '')} (${what}).` : title;
}

function choiceOf({ title, command, arguments: given }: Action): Choice {
  const short = title.length > BUTTON_LENGTH ? shortTitle(command) : undefined;
  return { title: short ?? title, command, arguments: given };
}

function shortTitle(command: string): string | undefined {
  switch (command) {
    case 'perdure.resume':
      return l10n.t('Resume');
    case 'perdure.resumeRecorded':
      return l10n.t('Resume as Recorded');
    case 'perdure.relocate':
      return l10n.t('Relocate');
    case 'perdure.abort':
      return l10n.t('Abort');
    case 'perdure.newSession':
      return l10n.t('New Session');
    case 'perdure.compactAndContinue':
      return l10n.t('Compact and Continue');
    default:
      return undefined;
  }
}
