import * as vscode from 'vscode';

import { TRANSCRIPT_SCHEME } from './uri';

/** Whether a view of a growing document stays at its end. */
export class Follower {
  private top = 0;
  private following = true;

  get follows(): boolean {
    return this.following;
  }

  /** The user, or we, have scrolled: upwards means to stay, to the end means to follow again. */
  scrolled(top: number, bottom: number, lineCount: number): void {
    if (bottom >= lineCount - 2) {
      this.following = true;
    } else if (top < this.top) {
      this.following = false;
    }
    this.top = top;
  }
}

/** Keeps transcripts that are read at their end at their end. */
export class Following {
  private readonly followers = new WeakMap<vscode.TextDocument, Follower>();

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => {
        const { document } = textEditor;
        const first = visibleRanges[0];
        const last = visibleRanges.at(-1);
        if (document.uri.scheme === TRANSCRIPT_SCHEME && first && last) {
          this.of(document).scrolled(first.start.line, last.end.line, document.lineCount);
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === TRANSCRIPT_SCHEME && this.of(document).follows) {
          showEnd(document);
        }
      }),
    );
  }

  private of(document: vscode.TextDocument): Follower {
    const known = this.followers.get(document) ?? new Follower();
    this.followers.set(document, known);
    return known;
  }
}

/** Scroll the editors of a document to its end; the cursor stays where it is. */
export function showEnd(document: vscode.TextDocument): void {
  const end = new vscode.Position(document.lineCount - 1, 0);
  for (const editor of vscode.window.visibleTextEditors) {
    if (editor.document === document) {
      editor.revealRange(new vscode.Range(end, end));
    }
  }
}
