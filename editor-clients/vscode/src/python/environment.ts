import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { l10n } from 'vscode';

const PIP = [
  ...['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'],
  ...['--progress-bar', 'off'],
];

/** A step of making the environment failed; the message is what the program said. */
export class InstallFailed extends Error {}

/** What the maker tells and asks while it works. */
export interface Observer {
  readonly say: (step: string) => void;
  readonly line: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * The virtual environment that the extension makes for the server, in a folder of its own.
 *
 * Each is made in a new place, and a small file says which one is complete: so an interrupted one is
 * never found, and two windows that make one at the same time do not disturb each other. There is
 * one per version of the extension: an update makes another one.
 */
export class ManagedEnvironment {
  constructor(
    private readonly storage: string,
    private readonly bundled: string,
    private readonly version: string,
  ) {}

  /** The server's program; empty where there is none. */
  get program(): string {
    try {
      return inFolder(readFileSync(this.pointer, 'utf8'), 'perdure');
    } catch {
      return '';
    }
  }

  private get pointer(): string {
    return join(this.storage, `${this.version}.path`);
  }

  /** Make it, in the place of one that is there. Raises `InstallFailed`. */
  async make(python: string, observer: Observer): Promise<void> {
    const wheel = this.wheel();
    await mkdir(this.storage, { recursive: true });
    const folder = await mkdtemp(join(this.storage, `${this.version}-`));
    try {
      observer.say(l10n.t('Making a Python environment'));
      await run(python, ['-m', 'venv', folder], observer);
      observer.say(l10n.t('Installing the server and what it needs'));
      await run(inFolder(folder, 'python'), [...PIP, `${wheel}[mcp]`], observer);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw observer.signal.aborted ? new InstallFailed(l10n.t('it was cancelled.')) : error;
    }
    await writeFile(`${folder}.path`, folder);
    await rename(`${folder}.path`, this.pointer);
  }

  private wheel(): string {
    const found = readdirSync(this.bundled).find((name) => name.endsWith('.whl'));
    if (found === undefined) {
      throw new InstallFailed(l10n.t('There is no server in {0}.', this.bundled));
    }
    return join(this.bundled, found);
  }
}

function inFolder(folder: string, program: string): string {
  return process.platform === 'win32'
    ? join(folder, 'Scripts', `${program}.exe`)
    : join(folder, 'bin', program);
}

async function run(
  program: string,
  args: readonly string[],
  { line, signal }: Observer,
): Promise<void> {
  line(`${program} ${args.join(' ')}`);
  const child = spawn(program, [...args], { cwd: homedir(), signal, windowsHide: true });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
      line(text.trimEnd());
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    const lastLine = said.trim().split('\n').at(-1) ?? '';
    throw new InstallFailed(lastLine || l10n.t('{0} ended with code {1}.', program, code ?? '?'));
  }
}
