import * as vscode from 'vscode';

import { buttons, sentence, type Choice } from './buttons';
import { codeOf, messageOf } from './errors';
import type { Place } from './folders';
import { literal } from './literal';
import type { BlockedInfo, ResumeResult, Status } from './protocol';
import { whatHappened, type Ended } from './server/process';
import type { StatusChange } from './statuses';

export type Level = 'information' | 'warning' | 'error';

const SHOW = {
  information: vscode.window.showInformationMessage,
  warning: vscode.window.showWarningMessage,
  error: vscode.window.showErrorMessage,
} as const;

/** Show a message with buttons; returns at once. */
export function tell(level: Level, message: string, choices: readonly Choice[] = []): void {
  const titles = choices.map((choice) => choice.title);
  void SHOW[level](literal(message), ...titles).then((title) => {
    const chosen = choices.find((choice) => choice.title === title);
    if (chosen !== undefined) {
      const given = chosen.arguments ?? [];
      vscode.commands.executeCommand(chosen.command, ...given).then(undefined, tellFailure);
    }
  });
}

/** Who tells something: Perdure, for a folder where there are several. */
export function sender(folder: string | undefined): string {
  return folder === undefined ? 'Perdure' : `Perdure (${folder})`;
}

/** A command failed: say why, with what can be done. */
export function tellFailure(error: unknown): void {
  const code = codeOf(error);
  const choices = code === undefined ? [showLog()] : [];
  tell(code === 'busy' ? 'information' : 'warning', `Perdure: ${messageOf(error)}`, choices);
}

/** The server is made at the first use; who wants it at once can have it. */
export function tellNotInstalled(): void {
  const message = vscode.l10n.t(
    'Perdure installs its server, into a Python environment of its own, at the first prompt.',
  );
  const install = { title: vscode.l10n.t('Install Now'), command: 'perdure.editor.installServer' };
  tell('information', message, [install]);
}

/** One message per crash, with the reason and what happens next. */
export function tellCrash(how: Ended, delay: number | undefined): void {
  if (delay === undefined) {
    const restart = {
      title: vscode.l10n.t('Restart Server'),
      command: 'perdure.editor.restartServer',
    };
    const next = vscode.l10n.t('It crashed too often and stays down.');
    tell('error', `Perdure: ${whatHappened(how, next)}`, [restart, showLog()]);
  } else {
    tell('warning', `Perdure: ${whatHappened(how, vscode.l10n.t('It is started again.'))}`, [
      showLog(),
    ]);
  }
}

/** One message per reason for which work stands still, with its legal actions. */
export function tellStandstill({ now, before }: StatusChange, place: Place): void {
  if (now.blocked !== null && !isSame(before, now)) {
    tellReason(now.blocked, place);
  }
}

/** A command that was to go on could not: the same message again. */
export function tellBlocked(result: unknown): void {
  const { outcome, blocked } = (result ?? {}) as Partial<ResumeResult>;
  if (outcome === 'blocked' && blocked !== undefined) {
    tellReason(blocked);
  }
}

function tellReason(reason: BlockedInfo, place?: Place): void {
  const message = `${sender(place?.name)}: ${sentence(reason)}`;
  tell('warning', message, buttons(reason.actions, place?.uri));
}

/** A run that failed while the user was there says why, and how to go on. */
export function tellFailed({ now, before }: StatusChange, place: Place): void {
  const { failed } = now;
  if (failed !== undefined && before?.operation?.operationId === failed.operationId) {
    const message = `${sender(place.name)}: ${vscode.l10n.t('the run failed. {0}', failed.message)}`;
    tell('warning', message, buttons(failed.actions, place.uri));
  }
}

function showLog(): Choice {
  return { title: vscode.l10n.t('Show Log'), command: 'perdure.editor.showLog' };
}

function isSame(before: Status | undefined, now: Status): boolean {
  const was = before?.blocked;
  return was?.code === now.blocked?.code && was?.title === now.blocked?.title;
}
