import { l10n } from 'vscode';

import type { CommittedParams, DeltaParams } from '../protocol';

/** Text of one kind of one step or call. Once durable, the next transcript holds it. */
interface Piece {
  readonly key: string;
  readonly kind: DeltaParams['kind'];
  text: string;
  durable: boolean;
}

const FENCE = /^(`{3,}|~{3,})/gm;

/** Text that still streams. It is provisional until it is committed. */
export class Stream {
  private pieces: Piece[] = [];

  add({ stepId, kind, toolCallId = '', text }: DeltaParams): void {
    const key = [stepId, kind, toolCallId].join(' ');
    const open = this.pieces.find((piece) => piece.key === key && !piece.durable);
    if (open === undefined) {
      this.pieces.push({ key, kind, text, durable: false });
    } else {
      open.text += text;
    }
  }

  /** Take note of committed facts; tell whether they hold anything that streamed. */
  committed(facts: CommittedParams['facts']): boolean {
    const roles = facts.map(roleOf);
    const answered = roles.includes('assistant');
    const returned = roles.includes('tool');
    return this.mark((piece) => (piece.kind === 'toolOutput' ? returned : answered));
  }

  /** Nothing is unfinished any more; tell whether anything streamed. */
  finished(): boolean {
    return this.mark(() => true);
  }

  /** What is durable now, to be given to `drop` when the transcript that holds it is there. */
  durable(): ReadonlySet<unknown> {
    return new Set(this.pieces.filter((piece) => piece.durable));
  }

  drop(pieces: ReadonlySet<unknown>): void {
    this.pieces = this.pieces.filter((piece) => !pieces.has(piece));
  }

  /** What is to stand below the transcript, as Markdown; empty when nothing streams. */
  markdown(): string {
    return this.pieces.map((piece) => `\n${titleOf(piece)}\n\n${body(piece)}\n`).join('');
  }

  private mark(concerns: (piece: Piece) => boolean): boolean {
    const found = this.pieces.filter((piece) => !piece.durable && concerns(piece));
    for (const piece of found) {
      piece.durable = true;
    }
    return found.length > 0;
  }
}

function titleOf({ kind }: Piece): string {
  switch (kind) {
    case 'text':
      return l10n.t('**Answer** (streaming)');
    case 'reasoning':
      return l10n.t('**Reasoning** (streaming)');
    case 'toolArguments':
      return l10n.t('**Tool** (arguments are streaming)');
    case 'toolOutput':
      return l10n.t('**Output** (streaming)');
  }
}

/** An answer is a quote, as in the transcript; everything else is preformatted. */
function body({ kind, text }: Piece): string {
  const plain = text.replace(/\r\n?/g, '\n');
  if (kind === 'text') {
    return plain
      .split('\n')
      .map((line) => `> ${line}`.trimEnd())
      .join('\n');
  }
  const inside = [...plain.matchAll(FENCE)].map(([fence]) => fence.length);
  const fence = '`'.repeat(Math.max(3, ...inside.map((length) => length + 1)));
  return `${fence}text\n${plain}\n${fence}`;
}

function roleOf(fact: CommittedParams['facts'][number]): unknown {
  const { entry } = fact;
  const message = isObject(entry) ? entry.message : undefined;
  return isObject(message) ? message.role : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
