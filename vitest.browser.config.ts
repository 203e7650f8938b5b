import { defineConfig } from 'vitest/config';
import { markdownText } from './tools/markdown-text.ts';

/** Tests of pages in a real browser. They need Chromium: without it they are skipped, except in CI. */
export default defineConfig({
  plugins: [markdownText],
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/web/**/*.browser.test.ts'],
    testTimeout: 60_000,
    // These tests wait for processes, whose timing varies on a busy machine, so a test gets a second try. The reporter marks it.
    retry: 1,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
