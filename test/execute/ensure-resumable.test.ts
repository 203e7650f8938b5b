import { expect, test } from 'vitest';
import type { ResumeResult } from '../../src/domain/capability.ts';
import { ensureResumable } from '../../src/execute/ensure-resumable.ts';
import { probeResume } from '../../src/execute/probe-resume.ts';
import { openCapabilities } from '../../src/stores/capabilities.ts';
import { temporaryFolder } from '../support/repo.ts';

const result = (version: string, failed: ResumeResult['failed'] = null): ResumeResult => ({
  agent: 'claude',
  version,
  failed,
  freshMs: 1,
  resumedMs: 1,
});

/** Asks for one version after the other and counts the probes. */
async function asking(versions: readonly string[], probe: (version: string) => ResumeResult | null) {
  const capabilities = openCapabilities(temporaryFolder());
  let probes = 0;
  const said: (string | undefined)[] = [];
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
          return { kind: 'not-tried', agent: 'claude', version, failure: { kind: 'not-logged-in', said: '' } };
        },
      },
    );
    said.push(ability.ok ? ability.value.kind : undefined);
  }
  return { probes, said };
}

test('the version that was tested is never tried', async () => {
  expect(await asking(['1.0.0', '1.0.0'], result)).toEqual({ probes: 0, said: ['yes', 'yes'] });
});

test('another version is tried once, and what came of it is kept [REUSE-R1.0] [REUSE-I10/once] [REUSE-TEST/resume-validation]', async () => {
  expect(await asking(['1.0.1', '1.0.1', '1.0.1'], result)).toEqual({ probes: 1, said: ['yes', 'yes', 'yes'] });
});

test('one that failed is not resumed, and not tried again [REUSE-R1.0/decision-gate]', async () => {
  const bad = (version: string) => result(version, { test: 'V4', how: 'it counted 2 instead of 3' });
  expect(await asking(['1.0.1', '1.0.1'], bad)).toEqual({ probes: 1, said: ['no', 'no'] });
});

test('a probe that could not be made is made again, and nothing is resumed meanwhile', async () => {
  expect(await asking(['1.0.1', '1.0.1'], () => null)).toEqual({ probes: 2, said: ['unknown', 'unknown'] });
});

test('an agent that names no session is not resumed, and why is written down [REUSE-R1.0/V1/blocked]', async () => {
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
            ask: async () => ({
              ok: true,
              text: '{"reply":"# a line","issues":[]}',
              structured: undefined,
              sessionId: null,
              durationMs: 1,
            }),
          }),
      },
    );
  const no = { ok: true, value: { kind: 'no', from: 'probed', why: 'V1: it named no session' } };
  expect([await ask(), await ask()]).toEqual([no, no]);
  expect(await openCapabilities(folder).probed()).toMatchObject([
    { agent: 'claude', version: '1.0.1', failed: { test: 'V1', how: 'it named no session' } },
  ]);
});
