import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { l10n } from 'vscode';

/** How a server ended; `lastWords` is the last line that it wrote to standard error. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lastWords: string;
}

/** What is started, and where it was found. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly origin: string;
}

const DRAIN_MS = 300;
const STOP_MS = 5000;

/** A server's process. Its standard error goes line by line to `onLine`. */
export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process is gone; never rejects. */
  readonly ended: Promise<Ended>;
  private lastWords = '';

  constructor(
    command: ServerCommand,
    options: { env: NodeJS.ProcessEnv; cwd: string; onLine: (line: string) => void },
  ) {
    const { env, cwd } = options;
    this.child = spawn(command.program, [...command.args], { env, cwd, windowsHide: true });
    this.child.stdin.on('error', () => undefined);
    createInterface({ input: this.child.stderr }).on('line', (line) => {
      if (line.trim() !== '') {
        this.lastWords = line.trim();
      }
      options.onLine(line);
    });
    this.ended = this.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Wait until the process has ended; one that does not end by itself is killed. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => {
      this.kill('SIGKILL');
    }, STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  private async end(): Promise<Ended> {
    const drained = new Promise<void>((resolve) =>
      this.child.once('close', () => {
        resolve();
      }),
    );
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      this.child.once('exit', (...how) => {
        resolve(how);
      });
      this.child.once('error', (error) => {
        this.lastWords = error.message;
        resolve([null, null]);
      });
    });
    await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, DRAIN_MS))]);
    return { code, signal, lastWords: this.lastWords };
  }
}

/** Say how a server ended, what happens next, and what its last words were. */
export function whatHappened(ended: Ended, next = ''): string {
  const { lastWords } = ended;
  const last = lastWords === '' ? '' : l10n.t('Its last words: {0}', lastWords);
  return [howItEnded(ended), next, last].filter((sentence) => sentence !== '').join(' ');
}

function howItEnded({ code, signal }: Ended): string {
  if (signal !== null) {
    return l10n.t('The server was killed by {0}.', signal);
  }
  return code === null
    ? l10n.t('The server could not be started.')
    : l10n.t('The server ended with code {0}.', code);
}
