import { defineConfig } from 'vitest/config';
import { markdownText } from './tools/markdown-text.ts';
import { MORE } from './vitest.config.ts';

/** Runs the slow tests that `npm test` leaves out, the random models for longer, and the text diff on longer texts. */
export default defineConfig({
  plugins: [markdownText],
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: [
      MORE,
      'test/phases/decide/model.test.ts',
      'test/phases/do/driver-model.test.ts',
      'test/text-diff/sentence-diff.test.ts',
    ],
    env: {
      RUN_MODEL_SECONDS: process.env['RUN_MODEL_SECONDS'] ?? '15',
      PHASE_MODEL_SECONDS: process.env['PHASE_MODEL_SECONDS'] ?? '8',
      PHASE_STORY_SECONDS: process.env['PHASE_STORY_SECONDS'] ?? '8',
      TEXT_DIFF_CHARACTERS: '1000000',
    },
    testTimeout: 60_000,
    // These tests wait for processes, whose timing varies on a busy machine, so a test gets a second try. The reporter marks it.
    retry: 1,
    // Most tests wait for processes that they start, so two cores have time for a third worker.
    maxWorkers: 3,
  },
});
