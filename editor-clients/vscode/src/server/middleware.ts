import type * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

import { sessionOf } from '../transcript/uri';

function isOurs(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'perdure';
}

/**
 * The server knows something of its own documents alone. For all others it is not asked, and the
 * answer is "nothing", not "an empty list": a list of folds, say, would take away the editor's own.
 */
export const onlyTranscripts: Middleware = {
  provideHover: (document, position, token, next) =>
    isOurs(document) ? next(document, position, token) : undefined,
  provideDocumentSymbols: (document, token, next) =>
    isOurs(document) ? next(document, token) : undefined,
  provideFoldingRanges: (document, context, token, next) =>
    isOurs(document) ? next(document, context, token) : undefined,
  provideDocumentLinks: (document, token, next) =>
    isOurs(document) ? next(document, token) : undefined,
  provideCodeLenses: (document, token, next) =>
    isOurs(document) ? next(document, token) : undefined,
};

/** Says in the list of problems which folder stands still; `nameOf` tells that of a session. */
export function namingFolders(nameOf: (sessionId: string) => string | undefined): Middleware {
  return {
    handleDiagnostics: (uri, diagnostics, next) => {
      const session = sessionOf(uri);
      const name = session === undefined ? undefined : nameOf(session);
      if (name !== undefined) {
        for (const diagnostic of diagnostics) {
          diagnostic.message = `${name}: ${diagnostic.message}`;
        }
      }
      next(uri, diagnostics);
    },
  };
}
