import { existsSync } from 'node:fs';
import { ACP_CLIS, acpProgram, NEWEST_ACP } from '@onceover/testing/acp-clis.ts';
import {
  AIMOCK,
  installedPackage,
  installLatest,
  NEWEST_CLIS,
  programOf,
  REAL_AGENTS,
} from '@onceover/testing/agent-clis.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';

// Runs before the others and with access to the registry: the others run without a network.
test.each(REAL_AGENTS.map((real) => [real.agent.name, real] as const))('%s is installed', (_name, real) => {
  expect(existsSync(programOf(real))).toBe(true);
  real.configure(temporaryFolder(), 'http://127.0.0.1:1');
});

test.runIf(process.env['ONCEOVER_LATEST'] === 'find')(
  'the newest version of each agent is installed',
  () => {
    expect(installLatest([...NEWEST_CLIS, ...NEWEST_ACP])).toEqual([]);
  },
  900_000,
);

test.each(ACP_CLIS.map((cli) => [cli.name, cli] as const))('%s for ACP is installed', (_name, cli) => {
  expect(existsSync(acpProgram(cli))).toBe(true);
});

test('the server that is not ours is installed', () => {
  expect(existsSync(installedPackage(AIMOCK))).toBe(true);
});
