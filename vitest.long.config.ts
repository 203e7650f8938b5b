import { defineConfig } from 'vitest/config';
import { markdownText } from './tools/markdown-text.ts';
import { LONG } from './vitest.config.ts';

/** Runs the tests with gigabytes of data and those of the benchmarks, and the random models for minutes. */
export default defineConfig({
  plugins: [markdownText],
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: [
      LONG,
      'test/gates/run-model.more.test.ts',
      'test/phases/decide/model.test.ts',
      'test/phases/do/driver-model.test.ts',
    ],
    env: { RUN_MODEL_SECONDS: '120', PHASE_MODEL_SECONDS: '60', PHASE_STORY_SECONDS: '60' },
    testTimeout: 180_000,
    maxWorkers: 2,
  },
});
