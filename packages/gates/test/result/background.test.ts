import { STALE, STOPPED } from '@onceover/testing/ended-runs.ts';
import { finding, gateOutcome, path, runOutcome } from '@onceover/testing/run-samples.ts';
import { describe, expect, test } from 'vitest';
import { describeStartedRun, startedRunDocument } from '../../src/result/describe/background.ts';
import { lockConflictDocument, runDocument } from '../../src/result/json.ts';
import { startedRunSchema } from '../../src/result/json-schema.ts';
import type { RunOutcome } from '../../src/result/types.ts';

type Started = Parameters<typeof startedRunDocument>[0];

const started = (differs: Partial<Started>) =>
  startedRunDocument({ id: 'run-1-abc', state: 'done', progress: [], answer: null, ...differs });
const ended = (differs: Partial<RunOutcome>) => started({ answer: runDocument(runOutcome(differs)) });

const LINT = gateOutcome({
  id: 'check:.:lint',
  kind: 'check',
  status: 'fail',
  why: 'check-failed',
  slots: [],
  check: { command: 'npm run lint', exitCode: 1, why: 'exit code 1', durationMs: 5, tail: 'no\n' },
});
const OPEN = { finding: finding({ fix: null, code: null }), state: 'open' } as const;
const HELD = { kind: 'lock-held', pid: 4711, host: 'here', since: '2026-03-01T12:00:00.000Z' } as const;
const FAILED = { status: 'failed', exitCode: 1 } as const;

describe('the next step after start_run', () => {
  test.each<[string, ReturnType<typeof started>, RegExp]>([
    [
      'the run is in progress',
      started({ state: 'running' }),
      /^Call get_run until its state is no longer "running"\. Do not edit files/,
    ],
    ['the run died', started({ state: 'died' }), /^Call start_run/],
    ['the answer is not a document', started({ answer: 'nonsense' }), /^Call start_run/],
    [
      'the run failed with an error',
      started({ answer: { error: { kind: 'no-base', message: 'There is no base.', next: 'Name one.' } } }),
      /^Name one\. Then call start_run again\.$/,
    ],
    [
      'another run is in progress',
      started({ answer: lockConflictDocument(HELD) }),
      /^Wait until the other run has ended/,
    ],
    ['the run passed', ended({}), /^All gates pass: nothing is left to do\.$/],
    [
      'the requested gates passed',
      ended({ asked: { gates: ['lint'], paths: [], others: ['review:src:b'] } }),
      /^All requested gates pass\. .* call start_run without paths and gate/,
    ],
    ['nothing changed', ended({ status: 'no_changes', gates: [] }), /^Nothing has changed/],
    [
      'no gate covers the change',
      ended({ status: 'no_applicable_gates', gates: [] }),
      /^Nothing was reviewed: tell the user that no gate or rule covers this change\.$/,
    ],
    [
      'findings are open',
      ended({ ...FAILED, findings: [OPEN] }),
      /^Fix the open finding, then call start_run again\. If a finding is wrong or must stay, propose a waiver: call resolve_finding with how "skip"/,
    ],
    [
      'a check fails',
      ended({ ...FAILED, gates: [LINT, STOPPED] }),
      /^Fix the failed check, then call start_run again\.$/,
    ],
    [
      'findings are open and a check fails',
      ended({ ...FAILED, gates: [LINT], findings: [OPEN] }),
      /^Fix the open finding and the failed check, then call start_run again\./,
    ],
    [
      'a gate reached the retry limit',
      ended({
        status: 'retry_limit_exceeded',
        exitCode: 1,
        gates: [gateOutcome({ status: 'fail', why: 'retry-limit' })],
      }),
      /the user has to decide\. List the open findings/,
    ],
    [
      'no gate has a result',
      ended({ status: 'error', exitCode: 3, gates: [STALE] }),
      /^Some gates have no result, so nothing passed\. Fix the errors above, then call start_run again\. If you cannot/,
    ],
    [
      'a finding is open and a gate has no result',
      ended({ ...FAILED, gates: [STALE], findings: [OPEN] }),
      /Fix the open finding and the errors above, then call start_run again\..*report it to the user\. If a finding is wrong/,
    ],
  ])('is in the document and the text: %s', (_title, document, expected) => {
    expect(document.next).toMatch(expected);
    expect(describeStartedRun(document).endsWith(`\n\n${document.next}`)).toBe(true);
    expect(startedRunSchema.strict().parse(document)).toEqual(document);
  });
});

test('the text has gates, open findings, uncovered files and warnings', () => {
  const text = describeStartedRun(
    ended({
      ...FAILED,
      gates: [LINT],
      findings: [OPEN, { finding: finding({ id: 'F2' }), state: 'closed' }],
      uncovered: [path('README.md')],
      notices: [{ kind: 'idle-gate', path: 'docs' }],
      asked: { gates: ['lint'], paths: [], others: ['review:src:b'] },
    }),
  );
  expect(text.split('\n\n').slice(0, -1)).toEqual([
    'Result: failed (exit code 1)',
    'fail: check:.:lint (npm run lint: exit code 1)',
    expect.stringMatching(/^```\nid: F1\npriority: high\nplace: src\/a\.ts:\d+\nissue: /),
    'Not part of this run: review:src:b.',
    'Not covered by any review: README.md.',
    'Warning: no file matches the gate path docs',
  ]);
});
