import type { ResumeResult } from '@onceover/base/kernel/agent';
import { answers } from '@onceover/testing/memory/reviewers.ts';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { expect, test } from 'vitest';
import { ensureResumable, openCapabilities, probeResume } from '../../src/dispatch/resume-probe.ts';

const result = (version: string, failure: ResumeResult['failed'] = null): ResumeResult => ({
  agent: 'claude',
  version,
  failed: failure,
  freshMs: 1,
  resumedMs: 1,
});

/** Asks for one version after the other and counts the probes. */
async function asking(versions: readonly string[], probe: (version: string) => ResumeResult | null) {
  const capabilities = openCapabilities(temporaryFolder());
  let probes = 0;
  const abilities: string[] = [];
  for (const version of versions) {
    const ability = await ensureResumable(
      { name: 'claude', version },
      {
        capabilities,
        tested: [result('1.0.0')],
        probe: async () => {
          probes++;
          const result = probe(version);
          if (result !== null) return { kind: 'tried', result };
          return { kind: 'not-tried', failure: { kind: 'not-logged-in', said: '' } };
        },
      },
    );
    abilities.push(ability.kind);
  }
  return { probes, said: abilities };
}

test('does not probe the tested version', async () => {
  expect(await asking(['1.0.0', '1.0.0'], result)).toEqual({ probes: 0, said: ['yes', 'yes'] });
});

test('probes another version once and keeps the result [REUSE-R1.0] [REUSE-I10/once] [REUSE-TEST/resume-validation]', async () => {
  expect(await asking(['1.0.1', '1.0.1', '1.0.1'], result)).toEqual({ probes: 1, said: ['yes', 'yes', 'yes'] });
});

test('neither resumes nor probes again a version that failed [REUSE-R1.0/decision-gate]', async () => {
  const bad = (version: string) => result(version, { test: 'V4', how: 'it counted 2 instead of 3' });
  expect(await asking(['1.0.1', '1.0.1'], bad)).toEqual({ probes: 1, said: ['no', 'no'] });
});

test('repeats a probe that could not run, and resumes nothing meanwhile', async () => {
  expect(await asking(['1.0.1', '1.0.1'], () => null)).toEqual({ probes: 2, said: ['unknown', 'unknown'] });
});

test('does not resume an agent that names no session, and records why [REUSE-R1.0/V1/blocked]', async () => {
  const folder = temporaryFolder();
  const ask = () =>
    ensureResumable(
      { name: 'claude', version: '1.0.1' },
      {
        capabilities: openCapabilities(folder),
        tested: [],
        probe: () =>
          probeResume('claude', '1.0.1', {
            writeFile: () => '/probe/spec.md',
            randomLine: () => 'a line',
            ask: async () => answers({ reply: '# a line', issues: [] }),
          }),
      },
    );
  const no = { kind: 'no', from: 'probed', why: 'V1: it named no session' };
  expect([await ask(), await ask()]).toEqual([no, no]);
  expect(await openCapabilities(folder).probed()).toMatchObject([
    { agent: 'claude', version: '1.0.1', failed: { test: 'V1', how: 'it named no session' } },
  ]);
});
