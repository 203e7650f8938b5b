import { defineConfig } from 'vitest/config';
import { markdownText } from './tools/markdown-text.ts';

/** Tests that take minutes are named `*.more.test.ts` and run with `npm run test:more`. */
export const MORE = 'test/**/*.more.test.ts';

/** Tests with gigabytes of data, and tests of the benchmarks. They run with `npm run test:long`, and not in CI. */
export const LONG = 'test/**/*.long.test.ts';

/** Tests of pages, which need a browser. They run with `npm run test:browser`. */
const BROWSER = 'test/**/*.browser.test.ts';

/** Tests of the store for teams, which need PostgreSQL. They run with `npm run test:team`. */
export const TEAM = 'test/**/*.team.test.ts';

export default defineConfig({
  plugins: [markdownText],
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/agents/real/**', 'test/agents/live/**', MORE, LONG, BROWSER, TEAM],
    testTimeout: 30_000,
    // Most tests wait for processes that they start, so two cores have time for a third worker.
    maxWorkers: 3,
    // A new process per file would take half of the time. So a test must not leave globals or the environment changed.
    isolate: false,
    reporters: ['default', './test/support/requirements-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: [
        'src/**/{decide,judge,record}/**',
        'src/{ledger,text-diff}/**',
        'src/dispatch/{decide-resume,retry,cooldowns}.ts',
        'src/rules/{tasks,review-id,decide,passes}.ts',
        'src/trust/tamper-guard.ts',
        'src/{fix-loop,stop-hook,explain}/decide*',
      ],
      // These two have effects; tests of whole runs cover them. `npm run test:team` tests the stores on PostgreSQL.
      exclude: ['src/gates/record/{after-run,summary}.ts', 'src/**/postgres-*.ts'],
      reporter: ['text'],
      thresholds: { lines: 95, branches: 95 },
    },
  },
});
