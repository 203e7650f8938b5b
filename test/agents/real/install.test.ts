import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { programOf, REAL_AGENTS } from '../../support/agent-clis.ts';

// Runs before the others and with access to the registry: the others run without a network.
test.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s is installed', (_name, real) => {
  expect(existsSync(programOf(real))).toBe(true);
});
