import type { Acceptance } from '@onceover/passes/types';
import { passStatement, waiverStatement } from '@onceover/testing/passes.ts';
import { content, finding, receipt, reviewGate, stateOf, subjectOf, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { decideRun } from '../../../src/run/decide/plan-run.ts';
import { travellingStatements, wantedPass, wantedWaivers, withSignedWaivers } from '../../../src/run/decide/travel.ts';
import type { Receipt } from '../../../src/run/types.ts';

const AGENT = { model: null, command: null, path: null, resume: false, env: {}, sandbox: false, timeoutSeconds: null };
const SETTINGS = { agents: null, agent: { one: AGENT } } as const;
const MADE = {
  settingsDigest: 's1',
  model: 'm1',
  agentVersion: '1.0',
  onceoverVersion: '1.0.0',
  session: 'new',
  filesOpened: null,
  usage: null,
  durationMs: 1,
  transcriptDigest: 't1',
} as const;
const ALLOWED = { builtIn: ['claude'], changed: new Set<string>(), hasFile: () => true };
const SIGNER = { principal: 'dev@example.com', keyFingerprint: 'SHA256:x' };
const ACCEPTED: Acceptance = { kind: 'accepted', statement: passStatement(), signers: [SIGNER] };
const gate = reviewGate();

test.each([
  ['the agents of the gate', { ...gate, agents: ['two'] }, SETTINGS, ['two']],
  ['the agents of the settings', gate, { ...SETTINGS, agents: ['one'] }, ['one']],
  ['all agents that need no settings, and all commands', gate, SETTINGS, ['claude', 'one']],
])('a pass may come from %s', (_title, own, settings, expected) => {
  expect([...wantedPass(subjectOf(own), 1, 'full', { settings, ...ALLOWED }).settingsDigests.keys()]).toEqual(expected);
});

describe('a pass travels', () => {
  const waived = finding({ id: 'F1', resolution: waiver() });
  const byAgent = finding({ id: 'F1', resolution: { ...waiver(), by: { kind: 'agent', name: 'claude' } } });
  test.each<[string, Partial<Receipt>, Parameters<typeof travellingStatements>[1], readonly string[]]>([
    ['of a reviewer that passed', { made: MADE }, [], ['pass']],
    ['not without the facts of the review', {}, [], []],
    ['not about a part of the change', { made: MADE, scope: 'uncommitted' }, [], []],
    ['not about other content', { made: MADE, content: content('c0') }, [], []],
    ['not of a reviewer that failed', { made: MADE, verdict: 'fail', findings: ['F1'] }, [finding()], []],
    ['with its waivers', { made: MADE, verdict: 'fail', findings: ['F1'] }, [waived], ['pass', 'waiver']],
    ['not if an agent waived', { made: MADE, verdict: 'fail', findings: ['F1'] }, [byAgent], []],
    ['not if a finding is unknown', { made: MADE, verdict: 'fail', findings: ['F1', 'F9'] }, [waived], ['waiver']],
  ])('%s', (_title, differs, findings, expected) => {
    const own = { ...subjectOf(gate), receipt: receipt(differs) };
    expect(travellingStatements([own], findings).map(({ kind }) => kind)).toEqual(expected);
  });

  test.each([
    ['that someone signed', { waiverSigner: 'dev@example.com' }],
    ['that the store for teams has', { isOfOtherClone: true }],
  ])('a waiver of another clone %s is not shared by this one', (_title, origin) => {
    const theirs = { ...finding({ resolution: waiver() }), ...origin };
    expect(travellingStatements([{ ...subjectOf(gate), receipt: receipt({ made: MADE }) }], [theirs])).toHaveLength(1);
  });
});

describe('a waiver of another clone', () => {
  const open = finding();
  const [wanted] = wantedWaivers([open], new Set([open.gate]));
  const theirs = new Map([[wanted?.finding ?? '', { statement: waiverStatement({ why: 'fine' }), signer: SIGNER }]]);

  test('applies to the same finding, and names its signer', () => {
    const [now] = withSignedWaivers([open], theirs);
    expect(now?.resolution).toMatchObject({ how: 'skipped', why: 'fine', by: { kind: 'person' } });
    expect(now?.waiverSigner).toBe('dev@example.com');
  });

  test.each([
    ['a more severe finding at the same place', finding({ priority: 'critical' })],
    ['a finding in another file', finding({ file: 'src/other.ts' as never })],
    ['a finding of another gate', finding({ gate: 'review:api:x' })],
    ['a closed finding', finding({ kept: 'closed' })],
    ['a finding without code', finding({ anchor: null })],
  ])('does not apply to %s', (_title, other) => {
    expect(withSignedWaivers([other], theirs)).toEqual([other]);
  });
});

describe('an accepted pass', () => {
  const options = { force: false, fresh: false };
  const settings = { maxRetries: 3, unchangedGates: 'run', afterPass: 'latch', certify: false } as const;
  const both = new Map([
    [1, ACCEPTED],
    [2, ACCEPTED],
  ]);
  const refused: Acceptance = { kind: 'refused', why: 'no-statement', statement: null };

  test('of every slot lets the gate pass without a call', () => {
    const state = stateOf({ shared: both });
    expect([state.holds, state.certified]).toEqual([true, true]);
    expect(decideRun({ checks: [], reviews: [state] }, settings, options).iterates).toBe(false);
  });

  test('of one slot leaves the other to run', () => {
    const state = stateOf({
      shared: new Map<number, Acceptance>([
        [1, ACCEPTED],
        [2, refused],
      ]),
    });
    expect(state.holds).toBe(false);
    const [plan] = decideRun({ checks: [], reviews: [state] }, settings, options).reviews;
    expect(plan?.kind === 'run' ? plan.slots : []).toEqual([
      { kind: 'accept', slot: 1 },
      { kind: 'run', slot: 2, why: 'first-run' },
    ]);
  });

  test('does not count against a failure in this clone', () => {
    const failed = receipt({ slot: 1, verdict: 'fail', findings: ['F1'] });
    expect(stateOf({ shared: both, receipts: [failed] }).slots[0]?.covers).toBeNull();
  });

  test('does not count while a finding of its slot is open', () => {
    expect(stateOf({ shared: both, findings: [finding()] }).slots[0]?.covers).toBeNull();
  });
});
