import { defineConfig } from 'vitest/config';
import { MORE } from './vitest.config.ts';

/** What `npm test` leaves out because it takes minutes: every way to a false pass, bad input for runs, more random runs. */
export default defineConfig({
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: [...MORE, 'test/execute/run-model.test.ts'],
    env: { RUN_MODEL_SECONDS: process.env['RUN_MODEL_SECONDS'] ?? '120' },
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
