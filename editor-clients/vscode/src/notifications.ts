import * as vscode from 'vscode';

import { MessageType, type ShowMessageParams } from 'vscode-languageclient/node';

import { buttons, sentence, type Choice } from './buttons';
import { codeOf, messageOf } from './errors';
import { literal } from './literal';
import type { BlockedInfo, ResumeResult, Status } from './protocol';
import { howItEnded, type Ended } from './server/process';
import type { StatusChange } from './statuses';

export const SHOW_LOG: Choice = { title: 'Show Log', command: 'perdure.editor.showLog' };
export const RESTART: Choice = { title: 'Restart Server', command: 'perdure.editor.restartServer' };

type Level = 'information' | 'warning' | 'error';

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

/** A command failed: say why, with what can be done. */
export function tellFailure(error: unknown): void {
  const code = codeOf(error);
  const choices = code === undefined ? [SHOW_LOG] : [];
  tell(code === 'busy' ? 'information' : 'warning', `Perdure: ${messageOf(error)}`, choices);
}

/** The server is made at the first use; who wants it at once can have it. */
export function tellNotInstalled(): void {
  const message =
    'Perdure installs its server, into a Python environment of its own, at the first prompt.';
  tell('information', message, [{ title: 'Install Now', command: 'perdure.editor.installServer' }]);
}

/** One message per crash, with the reason and what happens next. */
export function tellCrash(how: Ended, delay: number | undefined): void {
  const next = delay === undefined ? 'It crashed too often and stays down' : 'It is started again';
  const reason = how.lastWords === '' ? '' : ` Its last words: ${how.lastWords}`;
  const message = `The Perdure server ${howItEnded(how)}. ${next}.${reason}`;
  if (delay === undefined) {
    tell('error', message, [RESTART, SHOW_LOG]);
  } else {
    tell('warning', message, [SHOW_LOG]);
  }
}

/** One message per reason for which work stands still, with its legal actions. */
export function tellStandstill({ now, before }: StatusChange): void {
  if (now.blocked !== null && !isSame(before, now)) {
    tellReason(now.blocked);
  }
}

/** A command that was to go on could not: the same message again. */
export function tellBlocked(result: unknown): void {
  const { outcome, blocked } = (result ?? {}) as Partial<ResumeResult>;
  if (outcome === 'blocked' && blocked !== undefined) {
    tellReason(blocked);
  }
}

function tellReason(reason: BlockedInfo): void {
  tell('warning', `Perdure: ${sentence(reason)}`, buttons(reason.actions));
}

/** Pass on a message of the server, unless `tellStandstill` has told the same with its actions. */
export function tellMessage({ type, message }: ShowMessageParams, statuses: Status[]): void {
  const told = statuses.some(({ blocked }) => blocked !== null && message.includes(blocked.code));
  if (!told) {
    tell(LEVELS[type], `Perdure: ${message}`);
  }
}

const LEVELS: Record<MessageType, Level> = {
  [MessageType.Error]: 'error',
  [MessageType.Warning]: 'warning',
  [MessageType.Info]: 'information',
  [MessageType.Log]: 'information',
  [MessageType.Debug]: 'information',
};

/** A run that failed while the user was there says why, and how to go on. */
export function tellFailed({ now, before }: StatusChange): void {
  const { failed } = now;
  if (failed !== undefined && before?.operation?.operationId === failed.operationId) {
    tell('warning', `Perdure: the run failed. ${failed.message}`, buttons(failed.actions));
  }
}

function isSame(before: Status | undefined, now: Status): boolean {
  const was = before?.blocked;
  return was?.code === now.blocked?.code && was?.title === now.blocked?.title;
}
