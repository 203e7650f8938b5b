import { defineConfig } from 'vitest/config';

/** The long lists of what must not go wrong, and what takes long: `npm run test:more`. */
export const MORE = [
  'test/e2e/run/{no-false-pass-*,bad-input-*,mcp,reports}.test.ts',
  'test/e2e/{hook,loop}/*.test.ts',
  'test/e2e/workflow/{cli,more-*}.test.ts',
  'test/e2e/{action,bad-input,ci-docs,concurrency,cost-loops,demo,docs-commands,explain-run,init,init-from,live,phase-faces,phase-mcp,plugin,stranger}.test.ts',
  'test/io/snapshot-{history,index,keeping,sections}.test.ts',
  'test/execute/{phase-git,run-model}.test.ts',
  'test/agents/many.test.ts',
  'test/bench/still-runs.test.ts',
  'test/docs/played.test.ts',
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
