import { type EndedRun, endedRun, failedRun } from '@onceover/gates/reports/finished-run';
import type { RunOutcome } from '@onceover/gates/result/types';
import { passStatement } from './passes.ts';
import { claim, finding, gateOutcome, path, runOutcome, slotOutcome, usage, waiver } from './run-samples.ts';

export const judged = (differs: Partial<RunOutcome> = {}): EndedRun => endedRun(runOutcome(differs));

/** A run that passed because a pass of another clone counts. */
export const ACCEPTED = judged({
  gates: [
    gateOutcome({
      why: 'accepted',
      slots: [
        slotOutcome({
          why: 'accepted',
          shared: {
            kind: 'accepted',
            statement: passStatement({ agent: 'claude', model: 'sonnet-5-5', passedAt: '2026-11-12T10:00:00.000Z' }),
            signers: [{ principal: 'dev@example.com', keyFingerprint: 'SHA256:x' }],
          },
        }),
      ],
    }),
  ],
});

const NO_GIT = { what: 'git was not found, and onceover needs git to read changes.', next: 'Install git.' };

const CHECK_FAILED = gateOutcome({
  id: 'check:.:lint',
  kind: 'check',
  status: 'fail',
  why: 'check-failed',
  slots: [],
  check: { command: 'npm run lint', exitCode: 1, why: 'exit code 1', durationMs: 1500, tail: 'src/a.ts: no' },
});

export const STALE = gateOutcome({
  id: 'rule:src:style',
  kind: 'rule',
  status: 'error',
  why: 'could-not-judge',
  slots: [slotOutcome({ status: 'error', why: 'stale', trouble: { kind: 'stale' } })],
});

const RESTING = gateOutcome({
  status: 'fail',
  why: 'open-findings',
  slots: [
    slotOutcome({
      status: 'skipped_prior_pass',
      dispatch: 'none',
      why: 'passed-before',
      passIteration: 1,
      sawOlder: true,
      durationMs: null,
    }),
    slotOutcome({ slot: 2, agent: 'claude', status: 'fail', usage: usage(), durationMs: 2500 }),
  ],
});

export const STOPPED = gateOutcome({
  id: 'review:docs:wording',
  status: 'not_run',
  why: 'stopped-by-check',
  slots: [slotOutcome({ status: 'not_run', dispatch: 'none', why: 'not-passed', agent: null, durationMs: null })],
});

/** A run with an example of every possible result. */
export const MIXED: EndedRun = judged({
  status: 'failed',
  exitCode: 1,
  iteration: 2,
  gates: [CHECK_FAILED, RESTING, STALE, STOPPED],
  findings: [
    { finding: finding({ slot: 2, line: 3, fix: 'Use 2.' }), state: 'open' },
    {
      finding: finding({ id: 'F2', slot: 2, priority: 'critical', code: null, anchor: null, resolution: claim() }),
      state: 'fixed_claimed',
    },
    { finding: finding({ id: 'F3', slot: 2, file: path('src/a b/ä#?.ts'), priority: 'medium' }), state: 'warning' },
    { finding: finding({ id: 'F4', slot: 2, priority: 'low', resolution: waiver('So be it.') }), state: 'waived' },
    { finding: finding({ id: 'F5', slot: 2 }), state: 'closed' },
    { finding: finding({ id: 'F6', slot: 2, file: null, line: null, code: null, anchor: null }), state: 'open' },
  ],
  uncovered: [path('README.md')],
  withheld: [{ path: path('.env'), why: 'secret' }],
  notices: [{ kind: 'idle-gate', path: 'docs' }],
  usage: usage({ costUsd: 0.5 }),
  saved: { pass: 0, slot: 1200, session: 0, prefix: 0, reading: 0 },
  dispatches: 2,
});

/** Every possible end of a run, by name. */
export const ENDS: readonly (readonly [name: string, run: EndedRun])[] = [
  ['a bit of everything', MIXED],
  ['passed', judged()],
  [
    'passed with warnings',
    judged({ status: 'passed_with_warnings', findings: [{ finding: finding(), state: 'warning' }] }),
  ],
  ['no changes', judged({ status: 'no_changes', iteration: null, gates: [], dispatches: 0 })],
  ['no applicable gates', judged({ status: 'no_applicable_gates', iteration: null, gates: [], dispatches: 0 })],
  ['a check failed', judged({ status: 'failed', exitCode: 1, gates: [CHECK_FAILED, STOPPED] })],
  ['could not judge', judged({ status: 'error', exitCode: 3, gates: [STALE] })],
  [
    'the checks change files',
    judged({
      status: 'error',
      exitCode: 3,
      gates: [gateOutcome({ status: 'error', why: 'changed-meanwhile' })],
    }),
  ],
  [
    'the retry limit',
    judged({
      status: 'retry_limit_exceeded',
      exitCode: 1,
      iteration: null,
      gates: [gateOutcome({ status: 'fail', why: 'retry-limit', slots: STOPPED.slots })],
      findings: [{ finding: finding(), state: 'open' }],
    }),
  ],
  [
    'findings of a removed gate',
    judged({
      status: 'failed',
      exitCode: 1,
      findings: [{ finding: finding({ gate: 'review:old:gone' }), state: 'open' }],
    }),
  ],
  [
    'a name that is not UTF-8',
    judged({ status: 'error', exitCode: 3, notices: [{ kind: 'unnameable', name: 'src/\\xff' }] }),
  ],
  ['an exit code that nothing explains', judged({ status: 'error', exitCode: 3 })],
  ['nothing was run, although something had to be', judged({ status: 'failed', exitCode: 1, gates: [STOPPED] })],
  [
    'all that was found is waived',
    judged({
      gates: [gateOutcome({ slots: [slotOutcome({ status: 'fail' })] })],
      findings: [{ finding: finding({ resolution: waiver() }), state: 'waived' }],
    }),
  ],
  ['no outcome', failedRun({ status: 'error', exitCode: 3 }, NO_GIT)],
  ['interrupted', failedRun({ status: 'interrupted', exitCode: 130 }, NO_GIT)],
];
