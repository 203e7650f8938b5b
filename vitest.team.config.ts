import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { hasPostgres } from './test/support/postgres-server.mjs';
import { markdownText } from './tools/markdown-text.ts';
import { TEAM } from './vitest.config.ts';

/** The contract suites that also run on PostgreSQL. */
const CONTRACTS = [
  'test/gates/record/*.contract.test.ts',
  'test/ledger/ledger.contract.test.ts',
  'test/dispatch/cooldowns.contract.test.ts',
  'test/workflows/record/sessions.contract.test.ts',
  'test/passes/carrier.contract.test.ts',
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

/** Tests of the store for teams. They need PostgreSQL: without it they are skipped, except in CI. */
export default defineConfig({
  plugins: [markdownText],
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: hasPostgres ? [TEAM, ...CONTRACTS, ...ways()] : [],
    passWithNoTests: !hasPostgres,
    setupFiles: ['./test/support/team-setup.ts'],
    globalSetup: ['./test/support/postgres-setup.ts'],
    env: { ONCEOVER_TEST_TEAM: '1' },
    testTimeout: 60_000,
    // These tests wait for processes, whose timing varies on a busy machine, so a test gets a second try. The reporter marks it.
    retry: 1,
    hookTimeout: 60_000,
    // Most tests wait for processes that they start, so two cores have time for a third worker.
    maxWorkers: 3,
  },
});
