// Check that the Lua files below this folder are formatted, or with --write format them.
// StyLua's binaries are downloaded from GitHub; its WebAssembly comes from the npm registry.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Config, IndentType, OutputVerification, QuoteStyle, formatCode } from '@johnnymorganz/stylua';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const SETTING = /^(\w+) = "?([^"\n]+)"?$/gm;

/** The settings of `.stylua.toml`, which other editors read too. */
function configuration() {
  const text = readFileSync(join(FOLDER, '.stylua.toml'), 'utf8');
  const given = Object.fromEntries([...text.matchAll(SETTING)].map((match) => match.slice(1)));
  const config = Config.new();
  config.column_width = Number(given.column_width);
  config.indent_type = IndentType[given.indent_type];
  config.indent_width = Number(given.indent_width);
  config.quote_style = QuoteStyle[given.quote_style];
  return config;
}

/** The Lua files, relative to the folder. */
function luaFiles() {
  const names = readdirSync(FOLDER, { recursive: true });
  return names.filter((name) => name.endsWith('.lua') && !name.startsWith('node_modules'));
}

const write = process.argv.includes('--write');
for (const name of luaFiles()) {
  const path = join(FOLDER, name);
  const before = readFileSync(path, 'utf8');
  const after = formatCode(before, configuration(), undefined, OutputVerification.Full);
  if (before === after) continue;
  if (write) {
    writeFileSync(path, after);
  } else {
    console.error(`${name} is not formatted: node style.mjs --write`);
    process.exitCode = 1;
  }
}
