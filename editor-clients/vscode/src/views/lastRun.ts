import { l10n } from 'vscode';

import type { ChangesResult, FileChange } from '../protocol';

/** Of a session's changes, those of one run: the present one, else the last that changed anything. */
export function ofRun(result: ChangesResult, operationId: string | undefined): ChangesResult {
  const run = operationId ?? lastRun(result);
  return {
    changes: result.changes.filter((change) => change.operationId === run),
    commands: result.commands.filter((command) => command.operationId === run),
  };
}

/** Ids of operations begin with their time, so the greatest is the last. */
function lastRun(result: ChangesResult): string | undefined {
  const runs = [...result.changes, ...result.commands].map((done) => done.operationId);
  return runs.sort().at(-1);
}

/** All of it as one text in the form of a diff. */
export function asDiff(result: ChangesResult): string {
  const files = result.changes.map(
    (change) => `# ${change.path}: ${howItStands(change)}\n${change.diff}`,
  );
  const commands = result.commands.map(
    ({ command }) =>
      `# ${l10n.t('command, cannot be undone')}: ${command.replace(/\s*\n\s*/g, ' ')}`,
  );
  return [...files, ...commands].map((part) => `${part.trimEnd()}\n`).join('\n');
}

/** What the run did to a file, and what has become of that. */
export function howItStands({ kind, state }: FileChange): string {
  const did = kind === 'created' ? l10n.t('created') : l10n.t('modified');
  return `${did}, ${became(state)}`;
}

function became(state: FileChange['state']): string {
  switch (state) {
    case 'applied':
      return l10n.t('as the run left it');
    case 'changedSince':
      return l10n.t('changed since');
    case 'reverted':
      return l10n.t('taken back');
  }
}
