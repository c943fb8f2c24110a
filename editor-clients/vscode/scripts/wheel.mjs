// Puts the server of this repository, as a wheel, into bundled/, from where it is installed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const bundled = fileURLToPath(new URL('../bundled', import.meta.url));
const python = process.env.PYTHON ?? 'python3';

rmSync(bundled, { recursive: true, force: true });
mkdirSync(bundled);
execFileSync(
  python,
  [
    '-m',
    'pip',
    'wheel',
    '--quiet',
    '--disable-pip-version-check',
    '--no-deps',
    '--wheel-dir',
    bundled,
    repository,
  ],
  { stdio: 'inherit' },
);
