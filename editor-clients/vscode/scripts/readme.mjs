// Writes dist/README.md, the page of the packaged extension: the editor shows no pictures and no
// links that are relative, so they are left out.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

const page = readFileSync('README.md', 'utf8')
  .replace(/^ *!\[.*\]\(.*\)\n\n?/gm, '')
  .replace(/\[([^\]]+)\]\((?!https:)[^)]+\)/g, '$1');
mkdirSync('dist', { recursive: true });
writeFileSync('dist/README.md', page);
