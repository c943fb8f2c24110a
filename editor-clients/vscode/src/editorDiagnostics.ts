import * as vscode from 'vscode';

import type { DiagnosticsParams, DiagnosticsResult, EditorDiagnostic } from './protocol';

/** What the editor reports of one file, or of all of them; the agent's own reports are left out. */
export function editorDiagnostics({ uri }: DiagnosticsParams): DiagnosticsResult {
  const files: [vscode.Uri, vscode.Diagnostic[]][] =
    uri === undefined
      ? vscode.languages.getDiagnostics()
      : [[vscode.Uri.parse(uri), vscode.languages.getDiagnostics(vscode.Uri.parse(uri))]];
  return {
    items: files.map(([file, found]) => ({
      uri: file.toString(),
      diagnostics: found.filter(({ source }) => source !== 'perdure').map(ofProtocol),
    })),
  };
}

/** As LSP has it, where severities are counted from 1. */
function ofProtocol(diagnostic: vscode.Diagnostic): EditorDiagnostic {
  const { range, message, severity, source, code } = diagnostic;
  const plain = typeof code === 'object' ? code.value : code;
  return {
    range: {
      start: { line: range.start.line, character: range.start.character },
      end: { line: range.end.line, character: range.end.character },
    },
    message,
    severity: severity + 1,
    ...(source === undefined ? {} : { source }),
    ...(plain === undefined ? {} : { code: plain }),
  };
}
