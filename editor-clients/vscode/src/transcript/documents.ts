import * as vscode from 'vscode';

import { messageOf } from '../errors';
import type { CommittedParams, DeltaParams, Status } from '../protocol';
import { Stream } from './stream';
import { sessionOf, transcriptUri } from './uri';

const REDRAW_MS = 100;

interface Shown {
  readonly uri: vscode.Uri;
  readonly stream: Stream;
  /** The durable text; undefined until it has been fetched. */
  text: string | undefined;
  stale: boolean;
  redraw: NodeJS.Timeout | undefined;
}

type Fetch = (uri: vscode.Uri) => Promise<string>;

/**
 * Session documents: the durable text from the server, and below it what still streams.
 *
 * The editor applies the difference of two texts, so nothing flickers and the cursor stays.
 */
export class TranscriptDocuments implements vscode.TextDocumentContentProvider {
  private readonly shown = new Map<string, Shown>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly fetch: Fetch) {}

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const shown = this.shownAs(uri);
    if (shown.stale || shown.text === undefined) {
      await this.refresh(shown);
    }
    return `${shown.text ?? ''}${shown.stream.markdown()}`;
  }

  /** The server has another text for a document. */
  transcriptChanged(uri: vscode.Uri): void {
    this.invalidate(this.shown.get(keyOf(uri)));
  }

  delta(params: DeltaParams): void {
    const shown = this.shown.get(params.sessionId);
    if (shown !== undefined) {
      shown.stream.add(params);
      this.redrawSoon(shown);
    }
  }

  committed({ sessionId, facts }: CommittedParams): void {
    const shown = this.shown.get(sessionId);
    if (shown?.stream.committed(facts) === true) {
      this.invalidate(shown);
    }
  }

  statusChanged(status: Status): void {
    const shown = status.sessionId === null ? undefined : this.shown.get(status.sessionId);
    if (status.operation === null && shown?.stream.finished() === true) {
      this.invalidate(shown);
    }
  }

  /** A new server runs: ask it for all that is shown. */
  reconnected(): void {
    for (const shown of this.shown.values()) {
      shown.stream.finished();
      this.invalidate(shown);
    }
  }

  /** The editor has a document now; what changed while it was opened passed it by. */
  opened(uri: vscode.Uri): void {
    const shown = this.shown.get(keyOf(uri));
    if (shown !== undefined) {
      this.redrawSoon(shown);
    }
  }

  closed(uri: vscode.Uri): void {
    const shown = this.shown.get(keyOf(uri));
    clearTimeout(shown?.redraw);
    this.shown.delete(keyOf(uri));
  }

  private async refresh(shown: Shown): Promise<void> {
    shown.stale = false;
    const durable = shown.stream.durable();
    try {
      shown.text = await this.fetch(shown.uri);
      shown.stream.drop(durable);
    } catch (error) {
      shown.stale = true;
      const why = vscode.l10n.t('This session cannot be shown: {0}', messageOf(error));
      shown.text ??= `*${why}*\n`;
    }
  }

  private shownAs(uri: vscode.Uri): Shown {
    const known = this.shown.get(keyOf(uri));
    if (known !== undefined) {
      return known;
    }
    const stream = new Stream();
    const shown: Shown = { uri, stream, text: undefined, stale: true, redraw: undefined };
    this.shown.set(keyOf(uri), shown);
    return shown;
  }

  private invalidate(shown: Shown | undefined): void {
    if (shown !== undefined) {
      shown.stale = true;
      this.redrawSoon(shown);
    }
  }

  private redrawSoon(shown: Shown): void {
    shown.redraw ??= setTimeout(() => {
      shown.redraw = undefined;
      this.changed.fire(shown.uri);
    }, REDRAW_MS);
  }
}

/** Both spellings of a session's URI are one document to the server, so they are one key here. */
function keyOf(uri: vscode.Uri): string {
  return sessionOf(uri) ?? uri.toString();
}

/** Show a session where it is shown already, else beside the first column, which is for files. */
export async function showTranscript(
  sessionId: string,
  how: 'preview' | 'source',
  preserveFocus: boolean,
): Promise<void> {
  const uri = transcriptUri(sessionId);
  if (how === 'preview') {
    await vscode.workspace.openTextDocument(uri);
    await vscode.commands.executeCommand('markdown.showPreviewToSide', uri);
    return;
  }
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
    viewColumn: columnOf(uri) ?? vscode.ViewColumn.Two,
    preserveFocus,
    preview: false,
  });
}

function columnOf(uri: vscode.Uri): vscode.ViewColumn | undefined {
  const shows = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputText && input.uri.toString() === uri.toString();
  return vscode.window.tabGroups.all.find(({ tabs }) => tabs.some(shows))?.viewColumn;
}
