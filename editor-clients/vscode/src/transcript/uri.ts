import * as vscode from 'vscode';

/** The scheme of session documents. */
export const TRANSCRIPT_SCHEME = 'perdure';

export function transcriptUri(sessionId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: TRANSCRIPT_SCHEME, path: `/${sessionId}.md` });
}

/** The session that a document shows; undefined for all other documents. */
export function sessionOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === TRANSCRIPT_SCHEME ? /^\/+([^/]+)\.md$/.exec(uri.path)?.[1] : undefined;
}
