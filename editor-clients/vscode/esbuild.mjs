// Bundles the extension into dist/extension.js, and with --production the licences of what is in it
// into dist/THIRD_PARTY.txt; --watch goes on doing the former.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { context } from 'esbuild';

const production = process.argv.includes('--production');
const building = await context({
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node18',
  external: ['vscode'],
  minify: production,
  sourcemap: !production,
  metafile: true,
  logLevel: 'warning',
});
if (process.argv.includes('--watch')) {
  await building.watch();
} else {
  const { metafile } = await building.rebuild();
  await building.dispose();
  if (production) {
    writeFileSync('dist/THIRD_PARTY.txt', notices(Object.keys(metafile.inputs)));
  }
}

function notices(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
  return packages.map(notice).join('\n\n');
}

function notice(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${folder} has no licence`);
  }
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
