import type { Action, BlockedInfo } from './protocol';

/** A button of a message, and the command that it runs. */
export interface Choice {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

const MORE: Choice = { title: 'More…', command: 'perdure.editor.showActions' };

const BUTTON_LENGTH = 18;
const DETAIL_LENGTH = 80;
const SHORT: Record<string, string> = {
  'perdure.resume': 'Resume',
  'perdure.resumeRecorded': 'Resume as Recorded',
  'perdure.relocate': 'Relocate',
  'perdure.abort': 'Abort',
  'perdure.newSession': 'New Session',
  'perdure.compactAndContinue': 'Compact and Continue',
};

/** The first actions, with titles that fit on a button; the others are behind the last button. */
export function buttons(actions: readonly Action[]): Choice[] {
  const first = actions.slice(0, actions.length > 3 ? 2 : 3);
  return [...first.map(choiceOf), MORE];
}

/** Why work stands still, with the first thing that differs where it fits. */
export function sentence({ title, details: [detail] }: BlockedInfo): string {
  const what = detail && `${detail.field}: ${detail.recorded} → ${detail.current}`;
  const fits = what !== undefined && what.length < DETAIL_LENGTH;
  return fits ? `${title.replace(/\.$/, '')} (${what}).` : title;
}

function choiceOf({ title, command, arguments: given }: Action): Choice {
  const short = title.length > BUTTON_LENGTH ? SHORT[command] : undefined;
  return { title: short ?? title, command, arguments: given };
}
