import { defineConfig } from 'vitest/config';
import { markdownText } from './tools/markdown-text.ts';

// The real agent CLIs, against the model simulator on the loopback interface.
export default defineConfig({
  plugins: [markdownText],
  test: {
    include: ['test/agents/{real,live}/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    // Agents wait for each other and for time limits, so two cores have time for three files at once.
    maxWorkers: 3,
    // The timing of real agents varies, so a test gets a second try. The reporter marks it.
    retry: 1,
  },
});
