import { expect, test } from 'vitest';
import type { KnownFinding } from '../../src/domain/finding.ts';
import type { RecordedPast } from '../../src/domain/ports.ts';
import { endedCycles, orphansOf } from '../../src/plan/ended-cycles.ts';
import { checkRecord, ownFacts, slotRecord } from '../support/record-samples.ts';
import { entry, finding, HERE, path, reviewGate, waiver } from '../support/run-samples.ts';

const NOTHING: RecordedPast = { lastIteration: 0, slots: [], checks: [], others: [] };
const GATES = [reviewGate()];
const GONE = 'review:docs:prose';

test.each<[string, Partial<RecordedPast>, expected: readonly string[]]>([
  ['a gate that is there', { slots: [slotRecord()] }, []],
  ['a gate that is no more', { slots: [slotRecord({ gate: GONE, iteration: 2 })] }, [`${GONE} 2`]],
  ['its check', { checks: [checkRecord()] }, ['check:.:lint 1']],
  ['another branch', { slots: [slotRecord({ gate: GONE, own: ownFacts({ branch: 'other' }) })] }, []],
  ["another tool's record", { slots: [slotRecord({ gate: GONE, own: null })] }, []],
  ['a gate that nobody asked about', { others: [{ gate: GONE, iteration: 3, ...HERE.where }] }, [`${GONE} 3`]],
])('the records of %s', (_title, past, expected) => {
  const { records } = endedCycles(HERE, GATES, { ...NOTHING, ...past }, []);
  expect(records.map(({ gate, iteration }) => `${gate} ${iteration}`)).toEqual(expected);
});

test.each<[string, Partial<KnownFinding>, ends: boolean]>([
  ['of a gate that is no more', { gate: GONE }, true],
  ['of a gate that is there', {}, false],
  ['of another scope', { gate: GONE, scope: 'files a' }, false],
  ['of another branch', { gate: GONE, branch: 'other' }, false],
  ['that is closed', { gate: GONE, kept: 'closed' }, false],
  ['whose cycle has ended before', { gate: GONE, cycleEnded: true }, false],
])('the cycle of a finding %s', (_title, differs, ends) => {
  expect(endedCycles(HERE, GATES, NOTHING, [finding(differs)]).findings).toHaveLength(ends ? 1 : 0);
});

const ALL = { gates: [], paths: [] };

test.each<[string, Partial<KnownFinding>, asked: Parameters<typeof orphansOf>[3], counts: boolean]>([
  ['of a gate that is no more', { gate: GONE }, ALL, true],
  ['of a gate that is there', {}, ALL, false],
  ['on what has changed since', { gate: GONE, entry: entry({ headBlob: 'h0' }) }, ALL, false],
  ['that is waived', { gate: GONE, resolution: waiver() }, ALL, false],
  ['where other gates were asked for by name', { gate: GONE }, { gates: ['x'], paths: [] }, false],
  ['in a folder that was asked about', { gate: GONE }, { gates: [], paths: [path('docs'), path('src')] }, true],
  ['in another folder', { gate: GONE }, { gates: [], paths: [path('docs')] }, false],
  ['without a place, in a folder', { gate: GONE, file: null }, { gates: [], paths: [path('src')] }, false],
  ['without a place, in all', { gate: GONE, file: null }, { gates: [], paths: [path('')] }, true],
])('an open finding %s', (_title, differs, asked, counts) => {
  expect(orphansOf([finding(differs)], GATES, HERE, asked)).toHaveLength(counts ? 1 : 0);
});
