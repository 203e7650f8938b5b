import { defineConfig } from 'vitest/config';
import { MORE } from './vitest.config.ts';

/** What `npm test` leaves out because it takes minutes: every way to a false pass, and bad input for runs. */
export default defineConfig({
  define: { ONCEOVER_VERSION: JSON.stringify('0.0.0-test') },
  test: { include: MORE, testTimeout: 60_000, maxWorkers: 2 },
});
