import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

const stub = fileURLToPath(new URL('./test/vscode.ts', import.meta.url));

export default defineConfig({
  test: { include: ['test/**/*.test.ts'], pool: 'threads' },
  resolve: { alias: { vscode: stub } },
});
