import { checkRecord, ownFacts, slotRecord } from '@onceover/testing/record-samples.ts';
import { entry, finding, HERE, path, reviewGate, waiver } from '@onceover/testing/run-samples.ts';
import { expect, test } from 'vitest';
import type { KnownFinding } from '../../../src/findings/types.ts';
import { endedCycles, findingsOfRemovedGates } from '../../../src/run/decide/cycles.ts';
import type { RecordHistory } from '../../../src/run/record-types.ts';

const NOTHING: RecordHistory = { lastIteration: 0, slots: [], checks: [], others: [] };
const GATES = [reviewGate()];
const GONE = 'review:docs:prose';
/** In the records of another time, of which the current settings know nothing. */
const UNKNOWN = 'review:old:prose';
const CONFIGURED = { isConfigured: (id: string) => id !== UNKNOWN, starts: new Map([[reviewGate().id, 2]]) };

test.each<[string, Partial<RecordHistory>, expected: readonly string[]]>([
  ['a gate with changes', { slots: [slotRecord({ iteration: 2 })] }, []],
  ['a gate with changes, in an earlier cycle', { slots: [slotRecord()] }, ['review:src:code-quality 1']],
  ['a gate that is no longer in the settings', { others: [{ gate: UNKNOWN, iteration: 3, ...HERE.where }] }, []],
  ['a gate without changes', { slots: [slotRecord({ gate: GONE, iteration: 2 })] }, [`${GONE} 2`]],
  ['a check without changes', { checks: [checkRecord()] }, ['check:.:lint 1']],
  ['another branch', { slots: [slotRecord({ gate: GONE, own: ownFacts({ branch: 'other' }) })] }, []],
  ["another tool's record", { slots: [slotRecord({ gate: GONE, own: null })] }, []],
  ['a gate that the caller did not name', { others: [{ gate: GONE, iteration: 3, ...HERE.where }] }, [`${GONE} 3`]],
])('the records of %s', (_title, past, expected) => {
  const { records } = endedCycles(HERE, GATES, CONFIGURED, { ...NOTHING, ...past }, []);
  expect(records.map(({ gate, iteration }) => `${gate} ${iteration}`)).toEqual(expected);
});

test.each<[string, Partial<KnownFinding>, ends: boolean]>([
  ['of a gate without changes', { gate: GONE }, true],
  ['of a gate that is no longer in the settings', { gate: UNKNOWN }, false],
  ['of a gate with changes', { since: 2 }, false],
  ['of a gate with changes, reported in an earlier cycle', { since: 1 }, false],
  ['of another scope', { gate: GONE, scope: 'files a' }, false],
  ['of another branch', { gate: GONE, branch: 'other' }, false],
  ['that is closed', { gate: GONE, kept: 'closed' }, false],
  ['whose cycle ended before', { gate: GONE, cycleEnded: true }, false],
])('the cycle of a finding %s', (_title, differs, ends) => {
  expect(endedCycles(HERE, GATES, CONFIGURED, NOTHING, [finding(differs)]).findings).toHaveLength(ends ? 1 : 0);
});

const ALL = { gates: [], paths: [] };

test.each<[string, Partial<KnownFinding>, asked: Parameters<typeof findingsOfRemovedGates>[3], counts: boolean]>([
  ['of a removed gate', { gate: GONE }, ALL, true],
  ['of a gate with changes', {}, ALL, false],
  ['on a file that changed since', { gate: GONE, entry: entry({ headBlob: 'h0' }) }, ALL, false],
  ['that is waived', { gate: GONE, resolution: waiver() }, ALL, false],
  ['if other gates were selected by name', { gate: GONE }, { gates: ['x'], paths: [] }, false],
  ['in a selected folder', { gate: GONE }, { gates: [], paths: [path('docs'), path('src')] }, true],
  ['in another folder', { gate: GONE }, { gates: [], paths: [path('docs')] }, false],
  ['without a file, in a selected folder', { gate: GONE, file: null }, { gates: [], paths: [path('src')] }, false],
  ['without a file, in a run about everything', { gate: GONE, file: null }, { gates: [], paths: [path('')] }, true],
])('an open finding %s', (_title, differs, asked, counts) => {
  expect(findingsOfRemovedGates([finding(differs)], GATES, HERE, asked)).toHaveLength(counts ? 1 : 0);
});
