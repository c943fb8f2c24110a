import { l10n } from 'vscode';

const CONNECTION_GONE = [-32097, -32096];

/** The stable code of an error of the server, e.g. `busy`; undefined for other errors. */
export function codeOf(error: unknown): string | undefined {
  const data = memberOf(error, 'data');
  const code = memberOf(data, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** What the user is told of an error; not what a library says when the other end is gone. */
export function messageOf(error: unknown): string {
  const code = memberOf(error, 'code');
  if (typeof code === 'number' && CONNECTION_GONE.includes(code)) {
    return l10n.t('The server has ended.');
  }
  return error instanceof Error ? error.message : String(error);
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
