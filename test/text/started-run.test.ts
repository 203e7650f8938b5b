import { describe, expect, test } from 'vitest';
import type { RunOutcome } from '../../src/domain/run.ts';
import { lockConflictDocument } from '../../src/report/failure-document.ts';
import { runDocument } from '../../src/report/run-document.ts';
import { startedRunSchema } from '../../src/report/run-schema.ts';
import { startedRunDocument } from '../../src/report/started-run-document.ts';
import { tellStartedRun } from '../../src/text/started-run.ts';
import { STALE, STOPPED } from '../support/ended-runs.ts';
import { finding, gateOutcome, path, runOutcome } from '../support/run-samples.ts';

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
  check: { command: 'npm run lint', exitCode: 1, overtime: null, durationMs: 5, tail: 'no\n' },
});
const OPEN = { finding: finding({ fix: null, code: null }), state: 'open' } as const;
const HELD = { kind: 'lock-held', pid: 4711, host: 'here', since: '2026-03-01T12:00:00.000Z' } as const;
const FAILED = { status: 'failed', exitCode: 1 } as const;

describe('what an agent is to do now, after a run that it started', () => {
  test.each<[string, ReturnType<typeof started>, RegExp]>([
    [
      'it goes on',
      started({ state: 'running' }),
      /^Call get_run until its state is no longer "running"\. Edit nothing/,
    ],
    ['it died', started({ state: 'died' }), /^Call start_run/],
    ['it answered nonsense', started({ answer: 'nonsense' }), /^Call start_run/],
    [
      'it could not begin',
      started({ answer: { error: { kind: 'no-base', message: 'There is no base.', next: 'Name one.' } } }),
      /^Name one\. Then call start_run again\.$/,
    ],
    ['another one is at work', started({ answer: lockConflictDocument(HELD) }), /^Wait until the other run has ended/],
    ['it passed', ended({}), /^Every gate holds: nothing is left to do\.$/],
    [
      'a part of it passed',
      ended({ asked: { gates: ['lint'], paths: [], others: ['review:src:b'] } }),
      /^Every gate that was asked about holds\. Call start_run without paths and gate/,
    ],
    ['nothing changed', ended({ status: 'no_changes', gates: [] }), /^Nothing has changed/],
    [
      'nothing covers the change',
      ended({ status: 'no_applicable_gates', gates: [] }),
      /^Nothing was reviewed: tell the person that no gate or rule covers this change\.$/,
    ],
    [
      'findings are open',
      ended({ ...FAILED, findings: [OPEN] }),
      /^Mend what is open, then call start_run again\. What is wrong or must stay: call resolve_finding with how "skip"/,
    ],
    [
      'a check fails',
      ended({ ...FAILED, gates: [LINT, STOPPED] }),
      /^Mend what the checks say, then call start_run again\.$/,
    ],
    [
      'both',
      ended({ ...FAILED, gates: [LINT], findings: [OPEN] }),
      /^Mend what is open and what the checks say, then call start_run again\./,
    ],
    [
      'it failed too often',
      ended({
        status: 'retry_limit_exceeded',
        exitCode: 1,
        gates: [gateOutcome({ status: 'fail', why: 'retry-limit' })],
      }),
      /a person has to look\. Tell them what is open/,
    ],
    [
      'nobody could judge',
      ended({ status: 'error', exitCode: 3, gates: [STALE] }),
      /^Not every gate could be judged, so nothing was passed\. Put right what they say/,
    ],
  ])('%s: in the document as in the text', (_title, document, expected) => {
    expect(document.next).toMatch(expected);
    expect(tellStartedRun(document).endsWith(`\n\n${document.next}`)).toBe(true);
    expect(startedRunSchema.strict().parse(document)).toEqual(document);
  });
});

test('the text has all that the document tells: gates, findings, what nobody looked at, warnings', () => {
  const text = tellStartedRun(
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
    expect.stringMatching(/^F1 \(high\) at src\/a\.ts:\d+\n {2}issue: /),
    'Not asked about: review:src:b.',
    'Covered by no review: README.md.',
    'Warning: the gate path docs matches no file',
  ]);
});
