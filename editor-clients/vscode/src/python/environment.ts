import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

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
 * There is one per version of the extension: an update makes another one.
 */
export class ManagedEnvironment {
  constructor(
    private readonly storage: string,
    private readonly bundled: string,
    private readonly version: string,
  ) {}

  /** The server's program, whether it is there or not. */
  get program(): string {
    return inFolder(this.folder, 'perdure');
  }

  private get folder(): string {
    return join(this.storage, `server-${this.version}`);
  }

  /**
   * Make it, replacing what is there. The program comes last, so an interrupted one is not found.
   *
   * Raises `InstallFailed`.
   */
  async make(python: string, observer: Observer): Promise<void> {
    const wheel = this.wheel();
    await mkdir(this.storage, { recursive: true });
    await rm(this.folder, { recursive: true, force: true });
    observer.say('Making a Python environment');
    await run(python, ['-m', 'venv', this.folder], observer);
    observer.say('Installing the server and what it needs');
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', wheel];
    try {
      await run(inFolder(this.folder, 'python'), pip, observer);
    } catch (error) {
      await rm(this.folder, { recursive: true, force: true });
      throw error;
    }
  }

  private wheel(): string {
    const found = readdirSync(this.bundled).find((name) => name.endsWith('.whl'));
    if (found === undefined) {
      throw new InstallFailed(`There is no server in ${this.bundled}.`);
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
    throw new InstallFailed(lastLine || `${program} ended with code ${code ?? 'unknown'}`);
  }
}
