import { ACCEPTED, ENDS, judged, MIXED, STOPPED } from '@onceover/testing/ended-runs.ts';
import { hostileFailure, hostileRun } from '@onceover/testing/hostile.ts';
import { junitProblems } from '@onceover/testing/report-schemas.ts';
import { finding, gateOutcome, slotOutcome } from '@onceover/testing/run-samples.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EndedRun } from '../../src/reports/finished-run.ts';
import { junitReport } from '../../src/reports/junit.ts';

/** The numbers of the whole report. */
function countsOf(run: EndedRun): { tests: number; failures: number; errors: number } {
  const [, tests, failures, errors] = /tests="(\d+)" failures="(\d+)" errors="(\d+)"/.exec(junitReport(run)) ?? [];
  return { tests: Number(tests), failures: Number(failures), errors: Number(errors) };
}

const number = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

describe('a JUnit report', () => {
  test('matches its golden file', async () => {
    await expect(junitReport(MIXED)).toMatchFileSnapshot('golden/mixed.junit.xml');
  });

  test('fits the schema of Jenkins for every end of a run', async () => {
    expect(await junitProblems(ENDS.map(([, run]) => junitReport(run)))).toEqual([]);
  });

  test('fits the schema with any text of a reviewer', async () => {
    const runs = fc.sample(fc.oneof(hostileRun, hostileFailure), 300);
    expect(await junitProblems(runs.map(junitReport))).toEqual([]);
  });

  test('has no case that the text of a reviewer adds', () => {
    fc.assert(
      fc.property(fc.oneof(hostileRun, hostileFailure), (run) => {
        expect(number(junitReport(run), /<testcase /g)).toBe(countsOf(run).tests);
      }),
    );
  });

  test('the schema check rejects wrong documents', async () => {
    expect(
      await junitProblems(['<testsuites><testsuite/></testsuites>', '<testsuites>\u0001</testsuites>']),
    ).not.toEqual([]);
  });

  test.each(ENDS)('has a failure or an error exactly if the exit code is not 0: %s', (_title, run) => {
    const { failures, errors } = countsOf(run);
    expect(failures + errors > 0).toBe(run.exitCode !== 0);
  });

  test.each(ENDS)('counts its cases: %s', (_title, run) => {
    const text = junitReport(run);
    expect(countsOf(run)).toEqual({
      tests: number(text, /<testcase /g),
      failures: number(text, /<failure /g),
      errors: number(text, /<error /g),
    });
  });

  test('a skipped reviewer is a skipped case with the run in which it passed', () => {
    expect(junitReport(MIXED)).toContain(
      '<skipped>skipped: already passed in run 1, before the latest changes</skipped>',
    );
  });

  test('names the signer of an accepted pass', () => {
    expect(junitReport(ACCEPTED)).toContain(
      '<system-out>accepted: passed by dev@example.com on 2026-11-12, claude sonnet-5-5</system-out>',
    );
  });

  test('a reviewer that did not run is a skipped case with the reason', () => {
    expect(junitReport(judged({ gates: [STOPPED] }))).toContain('<skipped>a check failed');
  });

  test('an open finding is a failure although its reviewer did not run', () => {
    const gates = [gateOutcome({ status: 'fail', why: 'retry-limit', slots: STOPPED.slots })];
    const run = judged({ status: 'failed', exitCode: 1, gates, findings: [{ finding: finding(), state: 'open' }] });
    expect(junitReport(run)).toContain('<failure message="1 open finding"');
  });

  test('an open finding of a removed reviewer is a failure', () => {
    const findings = [{ finding: finding({ slot: 3 }), state: 'open' } as const];
    expect(junitReport(judged({ status: 'failed', exitCode: 1, findings }))).toContain('name="@3 (removed)"');
  });

  test('a warning is shown without a failure', () => {
    const findings = [{ finding: finding(), state: 'warning' } as const];
    const text = junitReport(judged({ findings }));
    expect(text).toContain('<system-out>F1  high      src/a.ts:1 (warning)');
    expect(text).not.toContain('<failure');
  });

  test('an error of a reviewer is shown with its earlier findings', () => {
    const slots = [slotOutcome({ status: 'error', why: 'stale', trouble: { kind: 'stale' } })];
    const run = judged({
      status: 'failed',
      exitCode: 1,
      gates: [gateOutcome({ status: 'fail', why: 'open-findings', slots })],
      findings: [{ finding: finding(), state: 'open' }],
    });
    expect(junitReport(run)).toMatch(/<failure message="ERROR: files changed [^"]*" type="failure">F1 {2}high/);
  });
});
