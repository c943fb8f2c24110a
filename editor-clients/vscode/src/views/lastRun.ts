import type { ChangesResult } from '../protocol';

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
    ({ path, kind, state, diff }) => `# ${path}: ${kind}, ${STATES[state]}\n${diff}`,
  );
  const commands = result.commands.map(
    ({ command }) => `# command, cannot be undone: ${command.replace(/\s*\n\s*/g, ' ')}`,
  );
  return [...files, ...commands].map((part) => `${part.trimEnd()}\n`).join('\n');
}

export const STATES: Record<ChangesResult['changes'][number]['state'], string> = {
  applied: 'as the run left it',
  changedSince: 'changed since',
  reverted: 'taken back',
};
