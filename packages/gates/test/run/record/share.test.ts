import type { TravellingStatement } from '@onceover/passes/types';
import { temporaryFolder } from '@onceover/testing/repo.ts';
import { content, finding, receipt, reviewGate, stateOf, waiver } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';
import type { ReviewGate, ShareEnd } from '../../../src/gate-types.ts';
import type { RunFacts, RunPorts } from '../../../src/run/ports.ts';
import { openReceipts } from '../../../src/run/record/receipts.ts';
import type { ReviewFacts } from '../../../src/run/record/shapes.ts';
import { sharePasses } from '../../../src/run/record/share.ts';
import type { Receipt } from '../../../src/run/types.ts';

const MADE: ReviewFacts = {
  settingsDigest: 's1',
  model: 'm1',
  agentVersion: '1.0',
  onceoverVersion: '1.0.0',
  session: 'new',
  filesOpened: null,
  usage: null,
  durationMs: 1,
  transcriptDigest: 't1',
};
const SHARED: ShareEnd = { kind: 'shared', passes: 1, waivers: 0, carrier: 'origin' };
const NOT_SHARED: ShareEnd = {
  kind: 'not-shared',
  failure: { kind: 'disk', action: 'read', path: 'key', code: 'EACCES' },
};

type Given = {
  readonly receipts?: readonly Receipt[];
  readonly findings?: readonly KnownFinding[];
  readonly gates?: readonly ReviewGate[];
  readonly kind?: 'full' | 'narrow';
  readonly end?: ShareEnd;
  readonly isAsked?: boolean;
};

type Call = { readonly statements: readonly TravellingStatement[]; readonly isAsked: boolean };

/** Shares with receipts in a real folder. Returns the result and the calls that would have signed and sent. */
async function share(given: Given): Promise<{ readonly end: ShareEnd | null; readonly calls: readonly Call[] }> {
  const receipts = openReceipts(temporaryFolder());
  for (const one of given.receipts ?? [receipt({ made: MADE })]) await receipts.write('review', one);
  const calls: Call[] = [];
  const shared = {
    share: async (statements: readonly TravellingStatement[], isAsked: boolean) => {
      calls.push({ statements, isAsked });
      return given.end ?? SHARED;
    },
  };
  const facts = {
    comparison: { scope: { key: 'full', kind: given.kind ?? 'full' } },
    reviews: (given.gates ?? [reviewGate()]).map((gate) => stateOf({ gate })),
    findings: given.findings ?? [],
  };
  const ports = { receipts, shared } as unknown as RunPorts;
  return { end: await sharePasses(ports, facts as unknown as RunFacts, given.isAsked ?? false), calls };
}

describe('sharePasses', () => {
  const second = receipt({ slot: 2, made: MADE });
  const waived = receipt({ slot: 2, made: MADE, verdict: 'fail', findings: ['F1'] });
  const docs = reviewGate({ id: 'review:docs:style', numReviews: 1 });
  test.each<[string, Given, readonly string[]]>([
    ['the pass of one reviewer', {}, ['pass 1 review:src:code-quality']],
    [
      'the passes of all reviewers',
      { receipts: [receipt({ made: MADE }), second] },
      ['pass 1 review:src:code-quality', 'pass 2 review:src:code-quality'],
    ],
    [
      'the passes of all gates',
      { gates: [docs, reviewGate()], receipts: [receipt({ made: MADE }), receipt({ gate: docs.id, made: MADE })] },
      ['pass 1 review:docs:style', 'pass 1 review:src:code-quality'],
    ],
    [
      'a pass with a waiver',
      { receipts: [waived], findings: [finding({ slot: 2, resolution: waiver() })] },
      ['pass 2 review:src:code-quality', 'waiver review:src:code-quality'],
    ],
  ])('shares %s', async (_title, given, expected) => {
    const { end, calls } = await share(given);
    expect(end).toEqual(SHARED);
    expect(
      calls.map(({ statements }) =>
        statements.map((one) => (one.kind === 'pass' ? `pass ${one.slot} ${one.gate}` : `waiver ${one.gate}`)),
      ),
    ).toEqual([expected]);
  });

  test.each<[string, Given]>([
    ['in a run that reviews only a part of the change', { kind: 'narrow' }],
    ['without gates', { gates: [] }],
    ['without receipts', { receipts: [] }],
    ['if the pass is about other content', { receipts: [receipt({ made: MADE, content: content('c0') })] }],
    ['if the pass is for another prompt', { receipts: [receipt({ made: MADE, promptDigest: 'p0' })] }],
    ['if the pass is of a reviewer that the gate no longer has', { receipts: [receipt({ made: MADE, slot: 3 })] }],
    [
      'if the reviewer failed',
      { receipts: [receipt({ made: MADE, verdict: 'fail', findings: ['F1'] })], findings: [finding()] },
    ],
    ['if the receipt of an older version lacks the facts of the review', { receipts: [receipt()] }],
  ])('sends nothing %s', async (_title, given) => {
    expect(await share(given)).toEqual({ end: null, calls: [] });
  });

  test.each([undefined, null])('does nothing if passes cannot be shared: %s', async (shared) => {
    const receipts = {
      find: () => {
        throw new Error('sharePasses looked up a receipt');
      },
    };
    const facts = { comparison: { scope: { key: 'full', kind: 'full' } }, reviews: [stateOf()], findings: [] };
    const ports = { receipts, shared } as unknown as RunPorts;
    expect(await sharePasses(ports, facts as unknown as RunFacts, true)).toBeNull();
  });

  test.each<[string, ShareEnd, ShareEnd | null]>([
    ['the passes that were shared', SHARED, SHARED],
    ['the waivers that were shared', { ...SHARED, passes: 0, waivers: 2 }, { ...SHARED, passes: 0, waivers: 2 }],
    ['nothing if all were shared before', { ...SHARED, passes: 0 }, null],
    ['the passes that wait for a person', { ...SHARED, kind: 'to-ask' }, { ...SHARED, kind: 'to-ask' }],
    ['nothing if none waits for a person', { ...SHARED, kind: 'to-ask', passes: 0 }, null],
    ['the failure', NOT_SHARED, NOT_SHARED],
  ])('returns %s', async (_title, end, expected) => {
    expect((await share({ end })).end).toEqual(expected);
  });

  test.each([true, false])('passes on whether a person asked for sharing: %s', async (isAsked) => {
    expect((await share({ isAsked })).calls.map((call) => call.isAsked)).toEqual([isAsked]);
  });
});
