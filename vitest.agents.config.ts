import { defineConfig } from 'vitest/config';

// The real agent CLIs, against the model simulator on the loopback interface.
export default defineConfig({
  test: {
    include: ['test/agents/{real,live}/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    // The agents' own timing is not ours: a test may have a second try, which is told beside its name.
    retry: 1,
  },
});
