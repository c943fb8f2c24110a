import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

import type { Machine } from './lookup';

const run = promisify(execFile);
const ASK_MS = 15_000;

/** The machine that the extension runs on. Programs are never looked for in the workspace. */
export const thisMachine: Machine = {
  async ask(program, args) {
    try {
      const { stdout } = await run(program, [...args], {
        cwd: homedir(),
        timeout: ASK_MS,
        windowsHide: true,
      });
      return stdout.split('\n', 1)[0]?.trim() ?? '';
    } catch {
      return undefined;
    }
  },
  which(name) {
    const file = process.platform === 'win32' ? `${name}.exe` : name;
    return (process.env.PATH ?? '')
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, file))
      .find(isProgram);
  },
  exists: existsSync,
};

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
