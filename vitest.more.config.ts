import { defineConfig } from 'vitest/config';
import { MORE } from './vitest.config.ts';

/** What `npm test` leaves out because it takes minutes: every way to a false pass, bad input for runs, what CI and plugin are made of, more random runs and phases. */
export default defineConfig({
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: [...MORE, 'test/plan/phase-model.test.ts', 'test/execute/phase-driver-model.test.ts'],
    env: {
      RUN_MODEL_SECONDS: process.env['RUN_MODEL_SECONDS'] ?? '60',
      PHASE_MODEL_SECONDS: process.env['PHASE_MODEL_SECONDS'] ?? '20',
      PHASE_STORY_SECONDS: process.env['PHASE_STORY_SECONDS'] ?? '20',
    },
    testTimeout: 60_000,
    maxWorkers: 2,
  },
});
