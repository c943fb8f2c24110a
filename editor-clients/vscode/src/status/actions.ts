import { l10n } from 'vscode';

import type { Elsewhere } from '../folders';
import type { Status } from '../protocol';
import type { ServicePhase } from '../server/service';
import { legal } from './legal';
import { howItIs, ICONS, needsSomebody } from './text';

/** Something that the user may do now. */
export interface NextAction {
  readonly label: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** The legal next actions, the most likely one first. */
export function nextActions(
  phase: ServicePhase,
  status: Status | undefined,
  elsewhere: readonly Elsewhere[] = [],
): NextAction[] {
  if (phase === 'missing') {
    return [
      of('comment', l10n.t('Prompt'), 'prompt'),
      of('cloud-download', l10n.t('Install Server'), 'installServer'),
      of('output', l10n.t('Show Log'), 'showLog'),
    ];
  }
  const here = phase === 'running' ? ofFolder(status) : [];
  return [...elsewhere.filter(needsSomebody).map(there), ...here, ...always()];
}

function ofFolder(status: Status | undefined): NextAction[] {
  const can = legal(status);
  const offered = status?.blocked?.actions ?? status?.failed?.actions ?? [];
  const own = offered.map(({ title, command, arguments: given }) => ({
    label: `$(lightbulb) ${title}`,
    command,
    arguments: given,
  }));
  const explained = own.length > 0;
  const offers: [boolean, string, string, string][] = [
    [can.approvalPending, 'bell-dot', l10n.t('Review What Waits for Approval'), 'review'],
    [can.canResume && !explained, 'debug-continue', l10n.t('Resume Session'), 'resume'],
    [can.canAbort && !explained, 'debug-stop', l10n.t('Abort Run'), 'abort'],
    [can.canPrompt, 'comment', l10n.t('Prompt'), 'prompt'],
    [can.hasSession, 'book', l10n.t('Show Transcript'), 'showTranscript'],
    [can.hasSession, 'diff-multiple', l10n.t('Show What Changed'), 'showChanges'],
    [can.canUndo, 'discard', l10n.t('Undo Run'), 'undo'],
    [can.canCompact, 'fold', l10n.t('Compact Session'), 'compact'],
    [can.canLeave && can.hasSession, 'add', l10n.t('New Session'), 'newSession'],
    [true, 'folder-opened', l10n.t('Open Session…'), 'openSession'],
  ];
  const legalOnes = offers.filter(([isLegal]) => isLegal);
  const given = status === undefined ? [] : [{ workspaceFolder: status.workspaceFolder }];
  return [
    ...own,
    ...legalOnes.map(([, icon, title, id]) => ({ ...of(icon, title, id), arguments: given })),
  ];
}

/** To what stands still in another folder. */
function there(other: Elsewhere): NextAction {
  const { uri, state } = other;
  const id = state === 'waitingForApproval' ? 'review' : 'showTranscript';
  return {
    label: `${ICONS[state]} ${howItIs(other)}`,
    command: `perdure.editor.${id}`,
    arguments: [{ workspaceFolder: uri }],
  };
}

function always(): NextAction[] {
  return [
    of('debug-restart', l10n.t('Restart Server'), 'restartServer'),
    of('output', l10n.t('Show Log'), 'showLog'),
  ];
}

function of(icon: string, title: string, id: string): NextAction {
  return { label: `$(${icon}) ${title}`, command: `perdure.editor.${id}` };
}
