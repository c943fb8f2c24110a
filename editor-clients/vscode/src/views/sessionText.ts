import { l10n } from 'vscode';

import type { SessionInfo } from '../protocol';
import { compact, tokens } from '../status/text';

const ICONS: Record<string, string> = {
  idle: 'check',
  running: 'sync~spin',
  waitingForApproval: 'bell-dot',
  suspended: 'debug-pause',
  unfinished: 'debug-pause',
  blocked: 'warning',
  unavailable: 'lock',
  corrupt: 'error',
};

/** The icon of a session's state, e.g. `check`; states of later servers get a plain one. */
export function sessionIcon(state: string): string {
  return ICONS[state] ?? 'circle-outline';
}

/** Age and usage of a session, on one line; `now` is in ms since the epoch. */
export function sessionDescription(session: SessionInfo, now: number): string {
  const sum = tokens(session.usage);
  const usage = sum === 0 ? [] : [l10n.t('{0} tokens', compact(sum))];
  return [age(now - session.updatedAt), ...usage].join(' · ');
}

/** A span of time in ms, in its greatest unit: now, 5 min, 3 h, 12 d. */
export function age(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) {
    return l10n.t('now');
  }
  if (minutes < 60) {
    return l10n.t('{0} min', minutes);
  }
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? l10n.t('{0} h', hours) : l10n.t('{0} d', Math.floor(hours / 24));
}
