import { readdirSync } from 'node:fs';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { hasPostgres } from './test/support/postgres-server.mjs';
import { markdownText } from './tools/markdown-text.ts';

/** Kinds of tests that `npm test` leaves out; the name of a file says its kind. */
const MORE = '**/*.more.test.ts';
const LONG = '**/*.long.test.ts';
const BROWSER = '**/*.browser.test.ts';
const TEAM = '**/*.team.test.ts';
const REAL = 'test/agents/{real,live}/**/*.test.ts';

/** The random models of runs and phases, which run for as long as the environment says. */
const RUN_MODEL = 'packages/gates/test/run/run-model.more.test.ts';
const PHASE_MODELS = [
  'packages/loops/test/phases/decide/model.test.ts',
  'packages/loops/test/phases/do/driver-model.test.ts',
];

/** The contract suites that also run on PostgreSQL. */
const CONTRACTS = [
  'packages/gates/test/run/record/*.contract.test.ts',
  'packages/agents/test/ledger/ledger.contract.test.ts',
  'packages/agents/test/dispatch/cooldowns.contract.test.ts',
  'packages/loops/test/workflows/record/sessions.contract.test.ts',
  'packages/passes/test/carrier.contract.test.ts',
];

const WAYS = 'test/no-false-pass';

/** Ways to a false pass that depend most on the stores: lost findings, two commands at once, damaged data. */
const CHOSEN = ['findings', 'meanwhile', 'records'].map((name) => `${name}.more.test.ts`);

/** Returns the files with ways to a false pass: the chosen ones, or all of them with ONCEOVER_TEAM=all. */
function ways(): readonly string[] {
  const isAll = process.env['ONCEOVER_TEAM'] === 'all';
  const names = isAll ? readdirSync(WAYS).filter((name) => name.endsWith('.more.test.ts')) : CHOSEN;
  return names.map((name) => `${WAYS}/${name}`);
}

// Tests may import every file of a package as `@onceover/<package>/src/...`; code only by the package's exports.
const conditions = ['test', ...defaultServerConditions];

// A new object for each project, because Vitest takes the definitions out of the object.
const common = () => ({
  plugins: [markdownText],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test'), ONCEOVER_TEAM: 'true' },
});

export default defineConfig({
  // For code that runs before all tests of a project.
  define: common().define,
  test: {
    // Most tests wait for processes that they start, so two cores have time for a third worker.
    maxWorkers: 3,
    reporters: ['default', './test/support/requirements-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: [
        'packages/*/src/**/{decide,judge,record}/**',
        'packages/agents/src/ledger/**',
        'packages/base/src/text-diff/**',
        'packages/agents/src/dispatch/{decide-resume,retry,cooldowns}.ts',
        'packages/gates/src/rules/{tasks,review-id,decide,passes}.ts',
        'packages/repo/src/trust/tamper-guard.ts',
        'packages/gates/src/{fix-loop,stop-hook,explain}/decide*',
      ],
      // These two have effects; tests of whole runs cover them. `npm run test:team` tests the stores on PostgreSQL.
      exclude: ['packages/gates/src/run/record/{after-run,summary}.ts', 'packages/**/postgres-*.ts'],
      reporter: ['text'],
      thresholds: { lines: 95, branches: 95 },
    },
    projects: [
      {
        ...common(),
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [REAL, MORE, LONG, BROWSER, TEAM],
          testTimeout: 30_000,
          // A new process per file would take half of the time. So a test must not leave globals or the environment changed.
          isolate: false,
        },
      },
      {
        ...common(),
        // Slow tests, the random models for longer, and the text diff on longer texts. Tests that wait for processes get a
        // second try, because their timing varies on a busy machine; the reporter marks it.
        test: {
          name: 'more',
          include: [MORE, ...PHASE_MODELS, 'packages/base/test/text-diff/sentence-diff.test.ts'],
          env: {
            RUN_MODEL_SECONDS: process.env['RUN_MODEL_SECONDS'] ?? '15',
            PHASE_MODEL_SECONDS: process.env['PHASE_MODEL_SECONDS'] ?? '8',
            PHASE_STORY_SECONDS: process.env['PHASE_STORY_SECONDS'] ?? '8',
            TEXT_DIFF_CHARACTERS: '1000000',
          },
          testTimeout: 60_000,
          retry: 1,
        },
      },
      {
        ...common(),
        // Gigabytes of data, the benchmarks, and the random models for minutes. Not in CI.
        test: {
          name: 'long',
          include: [LONG, RUN_MODEL, ...PHASE_MODELS],
          env: { RUN_MODEL_SECONDS: '120', PHASE_MODEL_SECONDS: '60', PHASE_STORY_SECONDS: '60' },
          testTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        ...common(),
        // Pages in a real browser. They need Chromium: without it they are skipped, except in CI.
        test: {
          name: 'browser',
          include: [BROWSER],
          testTimeout: 60_000,
          retry: 1,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        ...common(),
        // The store for teams. These need PostgreSQL: without it they are skipped, except in CI.
        test: {
          name: 'team',
          include: hasPostgres ? [TEAM, ...CONTRACTS, ...ways()] : [],
          setupFiles: ['./test/support/team-setup.ts'],
          globalSetup: ['./test/support/postgres-setup.ts'],
          env: { ONCEOVER_TEST_TEAM: '1' },
          testTimeout: 60_000,
          retry: 1,
          hookTimeout: 60_000,
        },
      },
      {
        ...common(),
        // The real agent CLIs, against the model simulator on the loopback interface. Agents wait for each other.
        test: {
          name: 'agents',
          include: [REAL],
          testTimeout: 180_000,
          hookTimeout: 600_000,
          retry: 1,
        },
      },
    ],
  },
});
