import type { ResumeResult } from '@onceover/base/kernel/agent';
import { expect, test } from 'vitest';
import { resumeAbility } from '../../src/dispatch/resume-probe.ts';

const result = (version: string, failure: ResumeResult['failed'] = null): ResumeResult => ({
  agent: 'claude',
  version,
  failed: failure,
  freshMs: null,
  resumedMs: null,
});
const bad = { test: 'V3', how: 'it remembered nothing' } as const;

test.each([
  ['a tested version that passed', '1.0.0', [], [result('1.0.0')], { kind: 'yes', from: 'tested' }],
  [
    'a tested version that failed',
    '1.0.0',
    [],
    [result('1.0.0', bad)],
    { kind: 'no', from: 'tested', why: 'V3: it remembered nothing' },
  ],
  ['another version', '1.0.1', [], [result('1.0.0')], { kind: 'unknown' }],
  ['an unknown version', null, [result('1.0.0')], [result('1.0.0')], { kind: 'unknown' }],
  [
    'a probe counts more',
    '1.0.0',
    [result('1.0.0', bad)],
    [result('1.0.0')],
    { kind: 'no', from: 'probed', why: 'V3: it remembered nothing' },
  ],
  ['a probe of another version', '1.0.1', [result('1.0.1')], [result('1.0.0', bad)], { kind: 'yes', from: 'probed' }],
] as const)('%s', (_title, version, probedResults, testedResults, expected) => {
  expect(resumeAbility({ name: 'claude', version }, { probed: probedResults, tested: testedResults })).toEqual(
    expected,
  );
});

test('ignores the results of another agent', () => {
  expect(resumeAbility({ name: 'codex', version: '1.0.0' }, { probed: [], tested: [result('1.0.0')] })).toEqual({
    kind: 'unknown',
  });
});
