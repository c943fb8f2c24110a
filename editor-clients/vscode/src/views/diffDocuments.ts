import * as vscode from 'vscode';

export const DIFF_SCHEME = 'perdure-diff';

/** Read-only documents that show diffs. */
export class DiffDocuments implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  /** Show a text under a name; the same name again shows it in the same place. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: DIFF_SCHEME, path: `/${name}.diff` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
      preview: true,
    });
  }

  closed(uri: vscode.Uri): void {
    if (uri.scheme === DIFF_SCHEME) {
      this.texts.delete(uri.path);
    }
  }
}
