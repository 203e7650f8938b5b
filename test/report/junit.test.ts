import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EndedRun, exitCodeOf } from '../../src/report/ended-run.ts';
import { junitReport } from '../../src/report/junit.ts';
import { ENDS, judged, MIXED, STOPPED } from '../support/ended-runs.ts';
import { hostileFailure, hostileRun } from '../support/hostile.ts';
import { junitProblems } from '../support/report-schemas.ts';
import { finding, gateOutcome, slotOutcome } from '../support/run-samples.ts';

/** The numbers of the whole report. */
function countsOf(run: EndedRun): { tests: number; failures: number; errors: number } {
  const [, tests, failures, errors] = /tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(junitReport(run)) ?? [];
  return { tests: Number(tests), failures: Number(failures), errors: Number(errors) };
}

const number = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

describe('a JUnit report', () => {
  test('is what it was', async () => {
    await expect(junitReport(MIXED)).toMatchFileSnapshot('golden/mixed.junit.xml');
  });

  test('fits the schema that Jenkins reads it by, however the run ended', async () => {
    expect(await junitProblems(ENDS.map(([, run]) => junitReport(run)))).toEqual([]);
  });

  test('fits it whatever a reviewer says', async () => {
    const runs = fc.sample(fc.oneof(hostileRun, hostileFailure), 300);
    expect(await junitProblems(runs.map(junitReport))).toEqual([]);
  });

  test('has no case that a reviewer made up', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        expect(number(junitReport(run), /<testcase /g)).toBe(countsOf(run).tests);
      }),
    );
  });

  test('a document that does not fit is noticed', async () => {
    expect(
      await junitProblems(['<testsuites><testsuite/></testsuites>', '<testsuites>\u0001</testsuites>']),
    ).not.toEqual([]);
  });

  test.each(ENDS)('has a failure or an error exactly where the exit code is not 0: %s', (_title, run) => {
    const { failures, errors } = countsOf(run);
    expect(failures + errors > 0).toBe(exitCodeOf(run) !== 0);
  });

  test.each(ENDS)('counts its cases: %s', (_title, run) => {
    const text = junitReport(run);
    expect(countsOf(run)).toEqual({
      tests: number(text, /<testcase /g),
      failures: number(text, /<failure /g),
      errors: number(text, /<error /g),
    });
  });

  test('a slot that rests is skipped, and says since when and what it has not seen', () => {
    expect(junitReport(MIXED)).toContain(
      '<skipped>rests: passed in iteration 1, has not seen what changed since</skipped>',
    );
  });

  test('a slot that was not run is skipped, and says why', () => {
    expect(junitReport(judged({ gates: [STOPPED] }))).toContain('<skipped>not run: a check failed');
  });

  test('an open finding of a slot that did not look is a failure', () => {
    const gates = [gateOutcome({ status: 'fail', why: 'retry-limit', slots: STOPPED.slots })];
    const run = judged({ status: 'failed', exitCode: 1, gates, findings: [{ finding: finding(), state: 'open' }] });
    expect(junitReport(run)).toContain('<failure message="1 finding is open"');
  });

  test('a finding of a slot that is no more is a failure', () => {
    const findings = [{ finding: finding({ slot: 3 }), state: 'open' } as const];
    expect(junitReport(judged({ status: 'failed', exitCode: 1, findings }))).toContain('name="@3, which is no more"');
  });

  test('what only warns is told without failing', () => {
    const findings = [{ finding: finding(), state: 'warning' } as const];
    const text = junitReport(judged({ findings }));
    expect(text).toContain('<system-out>F1 high (warning)');
    expect(text).not.toContain('<failure');
  });

  test('what happened to a slot is told beside what it found before', () => {
    const slots = [slotOutcome({ status: 'error', why: 'stale', trouble: { kind: 'stale' } })];
    const run = judged({
      status: 'failed',
      exitCode: 1,
      gates: [gateOutcome({ status: 'fail', why: 'open-findings', slots })],
      findings: [{ finding: finding(), state: 'open' }],
    });
    expect(junitReport(run)).toMatch(/<failure message="ERROR: files changed [^"]*" type="failure">F1 high/);
  });
});
