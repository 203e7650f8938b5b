import type { Acceptance } from '@onceover/passes/types';
import { parseSettings } from '@onceover/repo/src/config/parse-settings.ts';
import { passStatement } from '@onceover/testing/passes.ts';
import { receipt, reviewGate, subjectOf } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import type { RunPorts, SharedPasses } from '../../../src/run/ports.ts';
import { sharedDecisions } from '../../../src/run/read/shared-passes.ts';

const ACCEPTED: Acceptance = { kind: 'accepted', statement: passStatement(), signers: [] };
const gate = reviewGate();

/** Returns passes of other clones that all count, and how many of them were asked for. */
function everyPass() {
  let asked = 0;
  const shared: SharedPasses = {
    async accept(wanted) {
      asked += wanted.length;
      return wanted.map(() => ACCEPTED);
    },
    waivers: async () => new Map(),
    explain: async () => ACCEPTED,
    share: async () => ({ kind: 'shared', passes: 0, waivers: 0, carrier: '' }),
    problem: () => null,
    refusal: () => null,
    close: () => {},
  };
  return { shared, asked: () => asked };
}

const rows = [
  ['counts for a run about the whole change', 'full', new Map(), ['accepted'], 1],
  ['does not count for a run about a part of the change', 'narrow', new Map(), ['other-scope'], 0],
  ['is not looked up for a reviewer with a verdict of this clone', 'full', new Map([[1, receipt()]]), [], 0],
] as const;

test.each(rows)('a pass of another clone %s', async (_title, kind, receipts, expected, lookedUp) => {
  const { shared, asked } = everyPass();
  const scope = { key: kind === 'full' ? 'full' : 'uncommitted', kind };
  const parsed = parseSettings('gates: []\n');
  if (!parsed.ok) throw new Error('the sample settings are broken');
  const reviews = [{ ...subjectOf({ ...gate, numReviews: 1 }), receipts }];
  const ports = { shared, snapshots: {} as RunPorts['snapshots'] };
  const request = { settings: parsed.settings, root: '/work' };
  const decisions = await sharedDecisions(ports, request, reviews, { entries: [] }, scope);
  const reasons = [...decisions.values()].flatMap((slots) =>
    [...slots.values()].map((answer) => (answer.kind === 'refused' ? answer.why : answer.kind)),
  );
  expect([reasons, asked()]).toEqual([expected, lookedUp]);
});
