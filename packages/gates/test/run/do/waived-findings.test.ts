import { entry, finding, stateOf, waiver } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';

const NARROW = { scope: { key: 'uncommitted', kind: 'narrow' } } as const;

test.each<[string, Partial<KnownFinding>, Parameters<typeof stateOf>[1], boolean]>([
  ['open', {}, {}, false],
  ['waived', { resolution: waiver() }, {}, true],
  ['waived, in a narrow run', { resolution: waiver() }, NARROW, true],
  ['open, in a narrow run', {}, NARROW, false],
  ['waived without a place, in a narrow run', { resolution: waiver(), entry: null }, NARROW, true],
  ['waived and closed', { resolution: waiver(), kept: 'closed' }, {}, false],
  [
    'waived, where nothing differs any more',
    { resolution: waiver(), entry: entry({ path: 'src/gone.ts' }) },
    {},
    false,
  ],
])('%s', (_title, differs, options, isReported) => {
  const state = stateOf({ findings: [finding(differs)] }, options);
  const waived = state.findings.filter((one) => one.state === 'waived');
  expect(waived.map((one) => one.finding.id)).toEqual(isReported ? ['F1'] : []);
});
