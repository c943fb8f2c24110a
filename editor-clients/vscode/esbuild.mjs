// Bundles the extension into dist/extension.js; `--watch` goes on doing so.
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
  legalComments: 'linked',
  logLevel: 'warning',
});
if (process.argv.includes('--watch')) {
  await building.watch();
} else {
  await building.rebuild();
  await building.dispose();
}
