import { defineConfig } from 'vitest/config';

/** The long lists of what must not go wrong, and what takes long: `npm run test:more`. */
export const MORE = [
  'test/e2e/run/no-false-pass-*.test.ts',
  'test/e2e/run/bad-input-*.test.ts',
  'test/e2e/hook/trouble-*.test.ts',
  'test/e2e/loop/more-*.test.ts',
  'test/e2e/workflow/more-*.test.ts',
  'test/e2e/{action,ci-docs,concurrency,init-from,live,phase-mcp,plugin}.test.ts',
  'test/e2e/run/reports.test.ts',
  'test/io/snapshot-{history,keeping}.test.ts',
  'test/agents/many.test.ts',
];

export default defineConfig({
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/agents/real/**', 'test/agents/live/**', ...MORE],
    testTimeout: 30_000,
    maxWorkers: 2,
    reporters: ['default', './test/support/requirements-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/plan/**', 'src/stores/**'],
      reporter: ['text'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
